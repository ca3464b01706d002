"""The check of the installed packages against the lock file."""

from __future__ import annotations

from gopher.cli.checks.packages import differences

LOCK = """\
alpha==1.0 \\
    --hash=sha256:00
beta==2.4 ; python_full_version < '3.12' \\
    --hash=sha256:01
beta==2.5 ; python_full_version >= '3.12' \\
    --hash=sha256:02
gamma==3.0 ; sys_platform == 'win32' \\
    --hash=sha256:03
"""


def test_a_version_that_is_locked_for_any_python_is_well_and_what_a_platform_lacks_too() -> None:
    assert differences(LOCK, {"alpha": "1.0", "beta": "2.4"}.get) == []
    assert differences(LOCK, {"alpha": "1.0", "beta": "2.5"}.get) == []


def test_any_other_version_is_named() -> None:
    assert differences(LOCK, {"alpha": "1.1", "beta": "2.3"}.get) == ["alpha", "beta"]

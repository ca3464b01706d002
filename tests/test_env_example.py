import ast
import re
from itertools import pairwise
from pathlib import Path

from gopher import settings
from gopher.configuration import default_text, load_settings, variable
from gopher.settings import Settings

EXAMPLE = Path(__file__).parent.parent / ".env.example"
ENTRY = re.compile(r"((?:# .+\n)+)#([A-Z_]+)=(.*)\n")


def documented() -> dict[str, tuple[str, str]]:
    """What `.env.example` says: a setting's default and meaning by its variable."""
    entries = ENTRY.findall(EXAMPLE.read_text(encoding="utf-8"))
    return {
        name: (default, meaning.removeprefix("# ").replace("\n# ", " ").strip()) for meaning, name, default in entries
    }


def declared() -> dict[str, tuple[str, str]]:
    """What the code says: the same, from the class and the docstrings below its fields."""
    module = ast.parse(Path(settings.__file__).read_text(encoding="utf-8"))
    (body,) = (node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == "Settings")
    meanings = {
        field.target.id: str(ast.literal_eval(text.value))
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr)
    }
    return {variable(name): (default_text(field), meanings[name]) for name, field in Settings.model_fields.items()}


def test_the_example_lists_every_setting_with_its_default_and_meaning_and_no_other() -> None:
    assert documented() == declared()


def test_the_example_changes_nothing_as_it_is() -> None:
    assert load_settings(EXAMPLE) == load_settings(None)


def test_the_example_uncommented_is_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_text(
        re.sub(r"^#(?=[A-Z_]+=)", "", EXAMPLE.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8"
    )
    assert load_settings(file) == load_settings(None)

import re
from pathlib import Path

from gopher.cli.commands import COMMANDS
from gopher.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_names_every_command_and_no_other() -> None:
    assert set(re.findall(r"`\./gopher ([a-z]+)", README)) == set(COMMANDS)


def test_it_names_only_settings_that_exist() -> None:
    names = set(re.findall(r"\b([A-Z]+(?:_[A-Z]+)+)\b", README))
    assert names <= {name.upper() for name in Settings.model_fields}
    assert names >= {"DISCORD_TOKEN", "OPENAI_API_KEY", "DATABASE_URL", "REDIS_URL", "TEMPORAL_ADDRESS"}


def test_its_map_shows_what_is_there() -> None:
    (drawn,) = re.findall(r"## Map\n\n```\n(.*?)```", README, re.DOTALL)
    entries = [word for line in drawn.splitlines() for word in re.findall(r"^(\S+)(?: (\S+\.py))?", line)[0] if word]
    assert all((ROOT / entry).exists() for entry in entries)
    folders = {
        path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py")) and path.name[0] != "."
    }
    assert folders - {"__pycache__"} <= {entry.split("/")[0] for entry in entries}

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gopher.configuration import load_settings
from gopher.errors import ConfigurationError


def sentence_for(directory: Path, *lines: str) -> str:
    file = directory / ".env"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(file)
    return str(caught.value).replace(f"{file}", ".env")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("AGENT_MAX_ITERATIONS=many", "must be a whole number, and is a text of 4 characters"),
        ("AGENT_MAX_ITERATIONS=2.5", "must be a whole number, and is a number, but not a whole one"),
        ("AGENT_MAX_ITERATIONS=0", "must be at least 1"),
        ("AGENT_MAX_ITERATIONS=31", "must be at most 30"),
        ("LOG_LEVEL=loud", "must be one of 'debug', 'info', 'warning' or 'error'"),
        ("TEMPORAL_PREVIEWS=perhaps", "must be true or false, and is a text of 7 characters"),
        ("OWNER_USER_IDS=1,me", "must hold whole numbers, separated by commas, and one is a text of 2 characters"),
        ("OWNER_USER_IDS=-1", "must hold Discord ids, which are positive whole numbers, separated by commas"),
        ("BOT_NAMES=,", "must hold at least one name, separated by commas"),
        (
            "DISCORD_TOKEN=Bot abc",
            'must be the bare token of the bot, without quotes, spaces or the word "Bot" before it',
        ),
        ("OPENAI_API_KEY=sk abc", "must be the bare key, without quotes or spaces"),
        ("OPENAI_BASE_URL=localhost:11434", "must be a URL that begins with http:// or https://"),
        ("DATABASE_URL=mysql://root@localhost/x", "must be a URL that begins with postgresql:// or postgres://"),
        (
            "OPENAI_BASE_URL=http://localhost:many",
            "must be a URL that begins with http:// or https:// and has a whole ",
        ),
        ("REDIS_URL=localhost:6379", "must be a URL that begins with redis:// or rediss:// or unix://"),
        ("TEMPORAL_ADDRESS=localhost", "must have the form host:port, as in 127.0.0.1:7233"),
        ("TEMPORAL_ADDRESS=http://localhost:7233", "must have the form host:port, as in 127.0.0.1:7233"),
    ],
)
def test_a_bad_value_is_one_sentence_that_names_the_variable(tmp_path: Path, line: str, problem: str) -> None:
    sentence = sentence_for(tmp_path, line)
    assert sentence.startswith(f"{line.partition('=')[0]} {problem}")
    assert sentence.count("\n") == 0


def test_the_remedy_names_the_default(tmp_path: Path) -> None:
    assert sentence_for(tmp_path, "LOG_LEVEL=loud").endswith("; correct it, or remove it for the default, info.")
    assert sentence_for(tmp_path, "TEMPORAL_ADDRESS=x").endswith("; correct it, or remove it.")


def test_an_unknown_setting_is_met_with_the_nearest_known_one(tmp_path: Path) -> None:
    found = sentence_for(tmp_path, "OPENAI_API_KEZ=x")
    assert found == ".env: the setting OPENAI_API_KEZ is unknown; did you mean OPENAI_API_KEY?"
    found = sentence_for(tmp_path, "ZZZ=x")
    assert found == ".env: the setting ZZZ is unknown; .env.example lists all that are known."


def test_all_problems_are_named_at_once(tmp_path: Path) -> None:
    assert len(sentence_for(tmp_path, "LOG_LEVEL=loud", "ZZZ=1", "AGENT_MAX_ITERATIONS=0").splitlines()) == 3


@pytest.mark.parametrize(
    "line",
    [
        "DISCORD_TOKEN=canary canary",
        "OPENAI_API_KEY=canary canary",
        "DATABASE_URL=mysql://user:canary@host/x",
        "REDIS_URL=http://:canary@host",
        "AGENT_MAX_ITERATIONS=canary",
        "LOG_LEVEL=canary",
        "TEMPORAL_ADDRESS=canary",
    ],
)
def test_no_value_is_repeated(tmp_path: Path, line: str) -> None:
    assert "canary" not in sentence_for(tmp_path, line)


def test_a_file_in_another_encoding_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("BOT_NAMES=Göpher\n".encode("utf-16"))
    with pytest.raises(ConfigurationError, match="is not a text in UTF-8; save it as one"):
        load_settings(tmp_path / ".env")


def test_lists_are_separated_by_commas(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("BOT_NAMES= gopher, go ,\nOWNER_USER_IDS=1, 2\n", encoding="utf-8")
    settings = load_settings(tmp_path / ".env")
    assert (settings.bot_names, settings.owner_user_ids) == (("gopher", "go"), (1, 2))


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("CHAT_MODEL=of-the-file\nBOT_NAMES=of-the-file\n", encoding="utf-8")
    code = "from gopher.configuration import load_settings as l; s = l(); print(s.chat_model, *s.bot_names)"
    environment = {**os.environ, "CHAT_MODEL": "of-the-environment"}
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert found.stdout.decode().split() == ["of-the-environment", "of-the-file"]


def test_an_empty_value_is_unset(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DISCORD_TOKEN=\nAGENT_MAX_ITERATIONS=\n", encoding="utf-8")
    settings = load_settings(tmp_path / ".env")
    assert (settings.discord_token, settings.agent_max_iterations) == (None, 8)

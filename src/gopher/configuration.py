"""Loading the settings, and saying what is wrong with them: a sentence a problem, with variable and remedy."""

from __future__ import annotations

import difflib
from pathlib import Path

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined

from gopher.errors import ConfigurationError
from gopher.settings import Settings

ENV_FILE = Path(".env")


def load_settings(env_file: Path | None = ENV_FILE) -> Settings:
    """Read the environment and, below it, the file; None reads no file; one that is not there is as good as empty.

    Raises:
        ConfigurationError: something is unknown or unusable. All problems are named, a line each, without any secret.
    """
    try:
        # `_env_file` is an argument that pydantic-settings takes and hides from type checkers.
        return Settings(_env_file=env_file)  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        problems = [_sentence(details, env_file) for details in error.errors(include_url=False)]
    except UnicodeDecodeError:
        problems = [f"{env_file} is not a text in UTF-8; save it as one."]
    except OSError as error:
        problems = [f"{env_file} cannot be read ({error.strerror}); correct its permissions or remove it."]
    raise ConfigurationError("\n".join(problems), code="settings")


def variable(name: str) -> str:
    """The environment variable of a field of `Settings`."""
    return name.upper()


def default_text(field: FieldInfo) -> str:
    """A setting's default as one would write it in `.env`; empty for unset."""
    default: object = field.default
    if default is None or default is PydanticUndefined:
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return ",".join(str(part) for part in default)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - a tuple of whatever
    return str(default)


def _sentence(details: ErrorDetails, env_file: Path | None) -> str:
    name = str(details["loc"][0])
    if details["type"] == "extra_forbidden":
        nearest = difflib.get_close_matches(name.lower(), Settings.model_fields, n=1)
        remedy = f"did you mean {variable(nearest[0])}?" if nearest else ".env.example lists all that are known."
        return f"{env_file}: the setting {variable(name)} is unknown; {remedy}"
    default = default_text(Settings.model_fields[name])
    remedy = f"correct it, or remove it for the default, {default}." if default else "correct it, or remove it."
    return f"{variable(name)} {_what_is_wrong(details)}; {remedy}"


def _what_is_wrong(details: ErrorDetails) -> str:
    """What the value must be. Never the value: a token may stand in the wrong line."""
    context = details.get("ctx", {})
    number = "hold whole numbers, separated by commas, and one" if len(details["loc"]) > 1 else "be a whole number, and"
    match details["type"]:
        case "value_error":
            what = str(context["error"])
        case "int_parsing" | "int_type" | "int_from_float":
            what = f"must {number} is {_kind(details['input'])}"
        case "bool_parsing" | "bool_type":
            what = f"must be true or false, and is {_kind(details['input'])}"
        case "greater_than_equal":
            what = f"must be at least {context['ge']}"
        case "less_than_equal":
            what = f"must be at most {context['le']}"
        case "literal_error":
            what = f"must be one of {context['expected']}"
        case _:
            what = f"is not usable ({details['msg'][:1].lower()}{details['msg'][1:]})"
    return what


def _kind(value: object) -> str:
    text = str(value)
    if not text:
        return "empty"
    try:
        float(text)
    except ValueError:
        return f"a text of {len(text)} characters"
    return "a number, but not a whole one"

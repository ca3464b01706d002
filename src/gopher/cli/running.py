"""Finding the stack that `./gopher up` runs, for the commands that talk to it."""

from __future__ import annotations

from importlib.util import find_spec

from gopher.settings import Settings


def connected(settings: Settings) -> Settings:
    """Complete the settings by what leads to the running stack. Without one, or where it embeds nothing: unchanged."""
    if find_spec("devstack") is None:
        return settings  # a production image: there is no ./gopher up
    from devstack.data_directory import DataDirectory  # noqa: PLC0415 - of no use, and perhaps not there, in production

    state = DataDirectory(settings.gopher_data_dir).state()
    if state is None:
        return settings
    found = {name.lower(): value for name, value in state.settings.items()}
    return Settings.model_validate(settings.model_dump(exclude_unset=True) | found)

"""What the settings mean for an open file: what hooks read of them there, and which model is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import configs
from ..configs.strength import Strength
from ..store import settings

if TYPE_CHECKING:
    from ..configs import Settings
    from ..pipelines.llm import Model
    from ..store.db import Database

# What is gone by where no settings are at hand: by hooks without a server, and wherever something is kept.
SHARED = ("hook_limit", "hook_chars", "hook_code_chars", "digest_chars", "provenance", "unattended")


def share_settings(db: Database, options: Settings) -> None:
    """
    Keep in the file what hooks go by without a server, and of how memories fade what is not as usual, which holds for
    all who read it; it writes only where something changed.
    """
    wanted: dict[str, str | None] = {name: str(getattr(options, name)) for name in SHARED}
    for name in Strength.model_fields:
        given = getattr(options, name)
        wanted[name] = None if given == configs.defaults()[name] else str(given)
    kept = db.read(settings.several, list(wanted))
    changed = {name: text for name, text in wanted.items() if kept.get(name) != text}
    if changed and not db.readonly:
        db.write(settings.put_all, changed)


def model_of(options: Settings, db: Database) -> Model | None:
    """The model that the settings name; None in the mode lite, where nothing of it is even imported."""
    if options.mode == "lite":
        return None
    from ..pipelines.llm import open_model

    return open_model(options, db, key=configs.model_key(options))

"""What the settings mean for an open file: what hooks read of them there, and which model is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import configs
from ..store import settings

if TYPE_CHECKING:
    from ..configs import Settings
    from ..pipelines.llm import Model
    from ..store.db import Database

# What is gone by where no settings are at hand: by hooks without a server, and wherever something is kept.
SHARED = ("hook_limit", "hook_chars", "hook_code_chars", "digest_chars", "provenance", "unattended")


def share_settings(db: Database, options: Settings) -> None:
    """Keep in the file what is gone by without the settings; it writes only where something changed."""
    wanted = {name: str(getattr(options, name)) for name in SHARED}
    changed = {name: text for name, text in wanted.items() if db.read(settings.get, name) != text}
    if changed and not db.readonly:
        db.write(settings.put_all, changed)


def model_of(options: Settings, db: Database) -> Model | None:
    """The model that the settings name; None in the mode lite, where nothing of it is even imported."""
    if options.mode == "lite":
        return None
    from ..pipelines.llm import open_model

    return open_model(options, db, key=configs.model_key(options))

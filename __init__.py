"""Backstory: long-term memory for coding agents, in one SQLite file."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .server.memory import Memory

__all__ = ["Memory", "version"]


def version() -> str:
    """This version, as released."""
    from importlib.metadata import version as installed

    return installed("backstory")


def __getattr__(name: str) -> Any:
    # Lazy, so that hooks and the command line pay only for what they use.
    if name == "Memory":
        from .server.memory import Memory

        return Memory
    raise AttributeError(name)

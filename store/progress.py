"""How long work tells how far it is: so much done, of so much in all."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]

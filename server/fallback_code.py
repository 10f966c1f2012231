"""Code history for a prompt that a hook answers without a server. Standard library only; hooks carry a copy."""

from __future__ import annotations

from ..pipelines.code.naming import may_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from ..pipelines.code.names import Named
    from ..store.peek import Place


def told(
    con: sqlite3.Connection, place: Place, question: str, folder: str, *, given: Mapping[str, str], key: bytes,
    budget_chars: int,
) -> tuple[str, list[list[str]]]:  # fmt: skip
    """
    What the desk hangs under what it found: the history of the files and symbols that a question names, "" where it
    names none that is known, and (root, hash) of what it shows. `given`: what the file may not know to be given yet.
    """
    if not budget_chars or not place.workspaces or not may_name(question):
        return "", []
    from ..store import places

    if not places.known(con, place.workspaces, [(None, None)]):
        return "", []
    from ..pipelines.code.names import named

    said = named(question)
    if not said or not places.known(con, place.workspaces, said.every()):
        return "", []
    # From here on it takes 40 ms of imports, which only a question about code has to wait for.
    return _told(con, place, question, folder, said, given, key, budget_chars)


def _told(
    con: sqlite3.Connection, place: Place, question: str, folder: str, said: Named, given: Mapping[str, str],
    key: bytes, budget_chars: int,
) -> tuple[str, list[list[str]]]:  # fmt: skip
    from ..pipelines.code import history, reader
    from ..pipelines.git import git_files
    from ..store import peek_code, rounds
    from . import chain_text, render

    threads = history.named_in(con, said, rounds.Asked(place.user, tuple(place.workspaces)))[: history.POOL]
    if not threads:
        return "", []
    here = reader.at(git_files.look(folder), key)
    chains = history.fresh(
        [history.chain(con, thread, here, key=key) for thread in threads],
        {**peek_code.given(con, place), **given},
        peek_code.own(con, place),
    )
    block = chain_text.block(
        chains, lambda one: rounds.patch(con, one),
        budget_chars=budget_chars, language=render.language_of(question),
    )  # fmt: skip
    return block.text, [list(one.mark) for one in chains if one.thread.id in block.threads]

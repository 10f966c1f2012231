from __future__ import annotations

import pytest
from backstory.server import fallback
from backstory.server.clients import claude_code, cursor

EVENTS = [(client, event) for client in (claude_code, cursor) for event in client.HOOK_EVENTS]


@pytest.mark.parametrize(("client", "event"), EVENTS)
@pytest.mark.parametrize("context", [None, "", "记忆 <b>\n\ud83d"])
def test_a_hook_without_a_server_answers_as_the_server_would(
    client: object, event: str, context: str | None
) -> None:
    assert isinstance(client, type(claude_code))
    assert fallback.answer(client.SOURCE, event, context) == client.answer(event, context)

"""The MCP server: the tools as the SDK lists and calls them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as mcp
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from ..store.errors import BackstoryError
from . import inputs
from .tools import INSTRUCTIONS, TOOLS

if TYPE_CHECKING:
    from .memory import Memory

log = logging.getLogger(__name__)

NAME = "backstory"
# Calls that run at once; each holds a thread while it reads or waits for the file.
CALLS = 8


@cache
def catalogue() -> mcp.ListToolsResult:
    """The answer to `tools/list`."""
    return mcp.ListToolsResult(tools=[mcp.Tool.model_validate(tool.listing()) for tool in TOOLS.values()])


def call(memory: Callable[[], Memory], name: str, arguments: Mapping[str, Any]) -> mcp.CallToolResult:
    """What tool `name` answers; whatever goes wrong is a sentence for the model, marked as an error."""
    tool = TOOLS.get(name)
    if tool is None:
        return _result(f"There is no tool {name[:80]!r}; there are {', '.join(TOOLS)}.", failed=True)
    try:
        from .tool_calls import RUN

        given = inputs.parse(tool.accepts, name, arguments)
        return _result(RUN[name](memory(), given))
    except BackstoryError as e:
        return _result(f"{e}" if tool.reads else f"{e} Nothing was written.", failed=True)
    except Exception as e:
        log.exception("%s failed", name)
        return _result(
            f"{name} failed inside Backstory ({type(e).__name__}); nothing was written. "
            "The log has the trace; `backstory doctor` looks for the cause.",
            failed=True,
        )


def _result(text: str, *, failed: bool = False) -> mcp.CallToolResult:
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=inputs.clean(text))], is_error=failed
    )


def build(memory: Callable[[], Memory], *, version: str) -> Server[Any]:
    """
    The MCP server over what `memory` returns.

    Args:
        memory: called once a tool call, on its thread; may raise a BackstoryError, which the model is told.
    """
    limiter = anyio.CapacityLimiter(CALLS)

    async def list_tools(
        context: ServerRequestContext[Any], params: mcp.PaginatedRequestParams | None
    ) -> mcp.ListToolsResult:
        del context, params
        return catalogue()

    async def call_tool(
        context: ServerRequestContext[Any], params: mcp.CallToolRequestParams
    ) -> mcp.CallToolResult:
        del context
        work = partial(call, memory, params.name, params.arguments or {})
        return await anyio.to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=True)

    return Server(
        NAME, version=version, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )

"""The yardstick of a start: the same SDK, five empty tools, nothing else."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("bare", instructions="Five empty tools.", version="0")


@server.tool()
def one() -> str:
    """Do nothing."""
    return ""


@server.tool()
def two() -> str:
    """Do nothing."""
    return ""


@server.tool()
def three() -> str:
    """Do nothing."""
    return ""


@server.tool()
def four() -> str:
    """Do nothing."""
    return ""


@server.tool()
def five() -> str:
    """Do nothing."""
    return ""


if __name__ == "__main__":
    server.run("stdio")

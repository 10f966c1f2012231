"""One module a client: payloads in, replies out, registration."""

# By the names that commands and hooks give them.
CLIENTS = ("claude-code", "cursor")

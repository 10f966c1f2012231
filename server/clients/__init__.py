"""One module a client: payloads in, replies out, registration."""

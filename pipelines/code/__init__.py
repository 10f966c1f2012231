"""Code history: edits to symbols, threads and rounds, and how they are read."""

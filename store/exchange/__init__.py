"""Rows as they leave the file and as they come into it from another: all by ids that mean the same everywhere."""

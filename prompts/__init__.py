"""Prompts, one Markdown file each."""

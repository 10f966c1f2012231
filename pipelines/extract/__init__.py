"""What is drawn from a turn: drafts, by rules."""

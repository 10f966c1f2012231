"""The decisions."""

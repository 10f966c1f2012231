"""The shelf: all SQL."""

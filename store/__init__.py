"""The shelf: all SQL."""

# The file in the home.
DATABASE = "backstory.db"

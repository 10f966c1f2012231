"""Two texts that say the same, the opposite, or something else: compared, found on the shelf, brought together."""

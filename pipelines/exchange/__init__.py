"""Out and in: export, import, backup, restore."""

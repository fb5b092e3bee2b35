"""The command line: every ``cairn`` command, its options and its help."""

"""The progress comment of a run: its words, and the one place they stand."""

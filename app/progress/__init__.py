"""The progress comment of a run: its text, and the one comment that has it."""

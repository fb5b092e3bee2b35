"""Checks before anything is written: pure, in milliseconds, with exact line and column."""

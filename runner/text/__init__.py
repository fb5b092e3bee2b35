"""Texts of others made safe: cut, without effect on GitHub, without secrets."""

"""Runs on a checkout: what ``cairn run``, ``resume``, ``status`` and the decisions do."""

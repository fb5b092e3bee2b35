"""Proposed settings."""

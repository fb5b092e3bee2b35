"""Repairs of failing checks."""

"""Measurements, not tests: ``make bench``. What each one means is in docs/benchmarks.md."""

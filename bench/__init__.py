"""Measurements, not tests: ``make bench``. docs/developers/benchmarks.md explains each."""

"""Checks that merge rules and merge queues wait for."""

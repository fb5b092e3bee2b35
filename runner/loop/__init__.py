"""The engine of a run: driver, task pool, schedule, journal, and what nodes share."""

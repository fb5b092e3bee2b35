"""Issues as tasks."""

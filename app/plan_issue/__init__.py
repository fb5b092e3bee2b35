"""The one issue of a repository that shows its plan, and what it says."""

"""Taking back a merged task."""

"""The dashboard issue of a repository: its text, its checkboxes, and when it is written."""

"""One module for each change of the tables, oldest first by name."""

"""A repository's plan: what a push to its roadmap starts, and the issue that shows it."""

"""A repository's plan: what a push to its roadmap brings, and the issue that shows it."""

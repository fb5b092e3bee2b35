"""What the history of a repository teaches: which model, which route, which settings do better."""

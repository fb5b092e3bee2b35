"""The pages for people: the runs, one run, the login; each also as JSON."""

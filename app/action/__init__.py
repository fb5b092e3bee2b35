"""``cairn action``: the server's work inside a workflow run, without a server."""

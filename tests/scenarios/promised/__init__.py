"""The promised scenarios: each row once through ``cairn run`` and once through the server."""

"""What ``cairn run`` and ``cairn resume`` show a person: live on a terminal, and at the end."""

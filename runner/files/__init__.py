"""What ``cairn run`` keeps in files: journal, decisions, memory, reports."""

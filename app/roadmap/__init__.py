"""What the ``cairn roadmap`` commands do: show, lint, normalize and sync."""

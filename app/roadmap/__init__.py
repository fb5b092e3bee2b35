"""What the ``cairn roadmap`` commands do: show, lint and normalize."""

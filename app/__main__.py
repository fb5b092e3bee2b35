"""``python -m app`` is ``cairn``."""

from app.cli import main

main()

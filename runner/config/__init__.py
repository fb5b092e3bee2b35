"""The repository's configuration, ``.github/cairn.yml``: its values, and how they are read."""

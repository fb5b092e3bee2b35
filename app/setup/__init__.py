"""Registering the GitHub App from a manifest, once, by whoever runs Cairn."""

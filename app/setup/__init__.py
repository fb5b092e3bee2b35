"""Register the GitHub App from a manifest, once, by the person who runs Cairn."""

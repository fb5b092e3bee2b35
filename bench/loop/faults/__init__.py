"""The fault catalogue, layer by layer."""

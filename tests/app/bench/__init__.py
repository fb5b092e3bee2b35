"""``cairn bench``, with a scripted model."""

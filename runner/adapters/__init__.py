"""Adapters of the runner's ports to the world, one small file each."""

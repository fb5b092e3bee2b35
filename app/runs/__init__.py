"""The runs of a server: asked for, queued, worked on, and watched."""

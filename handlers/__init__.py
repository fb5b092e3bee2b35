"""From a GitHub event to a request: typed events, slash commands, permissions, replies."""

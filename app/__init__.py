"""The shell: HTTP server, GitHub App identity, settings, store, composition and command line."""

"""HTTP: webhooks in, health out, and who may see the pages."""

"""GitHub as the App sees it: identity, client, and what is published there."""

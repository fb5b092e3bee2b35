"""When the dashboard of a repository is written, and what people tick there."""

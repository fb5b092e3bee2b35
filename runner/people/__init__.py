"""What people read: reports, pull requests, comments, statistics, ``todos.json``."""

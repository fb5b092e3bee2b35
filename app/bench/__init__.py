"""``cairn bench``: how a model or an agent does on tasks whose tests it sees only in part.

Each task is an ordinary run (``app.local``) in a checkout of its own. To delete the bench, delete
this folder, its function in ``app/cli``, its tests (``tests/app/bench``) and what the docs say.
"""

"""What a task's context is made of: symbols, imports, search, ranking, cutting, counting. Pure."""

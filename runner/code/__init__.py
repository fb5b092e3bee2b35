"""Source code as data: its language, definitions, uses and imports, read with tree-sitter."""

"""Any OpenAI-compatible endpoint, and the budget of a run."""

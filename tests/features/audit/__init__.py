"""What was recorded, learned and remembered."""

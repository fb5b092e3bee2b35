"""What every run did, kept across runs: one record for each attempt, and what they add up to."""

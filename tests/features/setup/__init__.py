"""What a repository lacks, and how it is proposed."""

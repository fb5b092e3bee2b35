"""What the loop's bench itself has to be trusted for."""

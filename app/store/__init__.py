"""What the server must not forget: deliveries and runs, in one SQL database."""

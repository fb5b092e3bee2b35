"""Where commands run: Docker, bubblewrap or plain processes; and what is installed there."""

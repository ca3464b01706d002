"""What the documentation of performance quotes, each runnable by one command."""

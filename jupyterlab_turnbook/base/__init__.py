"""What providers and runs both build on; imports nothing else of Turnbook."""

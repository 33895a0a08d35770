"""What a log tells: its steps, the path taken, what came to no end, and what is easily overlooked."""

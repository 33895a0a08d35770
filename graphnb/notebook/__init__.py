"""What a user holds in a notebook: graphs built cell by cell, runs and sessions."""

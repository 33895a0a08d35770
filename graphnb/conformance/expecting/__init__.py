"""What cases may expect, and how an outcome is held against it."""

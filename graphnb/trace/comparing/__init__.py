"""What differs: the inside of a value before and after a fold, and two whole runs."""

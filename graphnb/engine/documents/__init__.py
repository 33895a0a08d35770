"""What only graphs that were read from a document need: attempts that are parked, contexts, time limits."""

"""What a node gets: the state, immutable, guarded field by field when it is read."""

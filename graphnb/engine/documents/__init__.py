"""What only nodes of graphs that were read from a document need: contexts, checks of what they give, time limits."""

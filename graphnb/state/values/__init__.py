"""Values and what can be done with them: sharing, copying, comparing, growing, refusing to be changed."""

"""Values and what can be done with them: sharing, copying, comparing, growing, refusing changes with a way out."""

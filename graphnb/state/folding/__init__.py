"""From an update to new values: what a returned state means, one field's writer, the fold of all, what was written."""

"""From an update to new values: one field's writer, the fold of all fields, what was written."""

"""The strict reducers, and finding a field's reducer in its annotation."""

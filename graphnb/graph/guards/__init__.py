"""Guards of edges: conditions as data."""

"""Graph documents: reading, checking, writing and hashing a graph that is written down as data."""

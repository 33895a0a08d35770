"""Values that a graph document can hold: what they are, when two are equal, the schemas they are checked against."""

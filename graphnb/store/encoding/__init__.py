"""Values as JSON: exact where a type is given, plain data where none is."""

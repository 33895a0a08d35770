"""Reading a state class: type hints taken apart, what its kind declares, what its types promise."""

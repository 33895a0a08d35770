"""A graph as data: what was declared, what is wrong with it, what the engine runs, what is drawn."""

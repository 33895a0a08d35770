"""What is wrong with a declared graph, or hardly meant."""

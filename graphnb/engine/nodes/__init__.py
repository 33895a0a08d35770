"""Nodes that run graphs or several functions: subgraphs, fan-outs, parallel branches."""

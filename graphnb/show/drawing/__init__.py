"""Drawings of a topology and of the path that a run took: the same nodes and lines as DOT, as Mermaid, as text."""

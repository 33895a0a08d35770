"""What a person sees of a graph or a run: drawings, text, tables and static HTML."""

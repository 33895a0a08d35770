"""Case files: graphs written down as data, built as real graphs, run, and checked."""

"""Super-steps of which several nodes may be part: joins, guards, interrupts, and going on from a log."""

"""Running a plan: the pure step, the nodes that run graphs inside themselves, and the drivers that call user code."""

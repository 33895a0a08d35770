"""Writing what a run is made of, and reading it again. Beside the engine and the display, and unknown to both."""

"""The step diff table: its rows, the marks inside a value, and how both read as HTML and in a terminal."""

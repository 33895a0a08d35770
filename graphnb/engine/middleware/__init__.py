"""What is put around a node, an instance or a branch: functions, retry, timing, failure isolation."""

"""Real graphs of what cases declare, and what the harness notes while they run."""

"""Super-steps of which several nodes may be part: forks, joins, guards, answers, and attempts that are repeated."""

"""The record of a run, and everything that is read from it: steps, changes inside a fold, the path taken."""

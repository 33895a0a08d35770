"""Checking a document: passes that each look at one thing and tell everything that is wrong there."""

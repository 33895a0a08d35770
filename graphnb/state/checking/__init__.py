"""Pydantic at work: one field, a whole state, and its complaints in our words."""

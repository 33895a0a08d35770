"""Typed state: fields, the strict reducers, folding an update, and the immutable view that a node gets."""

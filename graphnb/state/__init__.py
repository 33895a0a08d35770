"""Typed state: fields, the strict reducers, folding an update, and the immutable view that a node gets.

Here lie the user's words (`model` State; `marks` UNSET and Replace), what a class comes to (`fields`, `schema`)
and what crosses a subgraph's boundary (`projection`); the folders say what they hold.
"""

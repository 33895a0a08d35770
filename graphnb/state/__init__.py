"""Typed state: fields, the strict reducers, folding an update, and the immutable view that a node gets.

The user's words: `model` State; `marks` UNSET and Replace; `strict` and `keyed` the reducers.
Reading a state class: `hints` and `declared` what is written in it; `reducers` which reducer; `fields` and
`schema` the result; `validators` and `checking` pydantic at work; `refusal` its complaints in our words.
Folding: `writers` one field, `fold` a whole update, `written` what was written; `grown` lists and dicts that
grow; `returned` a node that returns a whole state; `projection` what crosses a subgraph's boundary.
What a node gets: `view` and `dictview` the state; `guard` and `guarded` lists and dicts that refuse a change.
Values: `atoms` what cannot change; `detach` own copies; `plain` instances; `same` equality; `unwound` lists
that hold themselves.
"""

"""Functions from a topology or a trace to what a person sees: drawings, tables, text, pages.

| shown | where, the module to call first |
|---|---|
| a graph, and the path taken | `drawing/`: `picture`; `dot`, `mermaid` and `outline` write, `render` makes SVG |
| what each step wrote and its folds did | `diff/`: `table`; `rows` and `marks` say what, `html` and `text` how |
| where a run came to no end, or waits | `ending`, `standing`, `pending` |
| what checking a graph tells | `diagnostics` |
| the run as a whole, and as a page | `run_view`, `state_table`, `report` |
| any value, in bounds and escaped | `writing/`: `values`; `tags` for HTML, `columns` for a terminal |
"""

"""Functions from a topology or a trace to what a person sees: drawings, tables, text, pages.

| shown | modules, the one to call first |
|---|---|
| a graph, and the path taken | `picture`: `dot`, `render`, `mermaid`, `outline` |
| what a drawing is made of | `routes`, `labels`, `boxes`, `lanes`, `notes`, `legend`, `palette` |
| what each step wrote | `diff`: `rows`, `attempts`, `diff_html`, `diff_text` |
| what a fold did to a value | `marks`: `element_marks`, `text_marks`, `change_text` |
| where a run came to no end | `ending`: `instances`, `error_text` |
| the run as a whole, and as a page | `run_view`, `state_table`, `report` |
| any value, in bounds and escaped | `values`: `leaves`, `words`; in HTML with `tags`, in a terminal with `columns` |
"""

"""Case files with `format: graphnb-conformance/1`: step reducers, graph documents and delegates.

| modules, in this order | what they do |
|---|---|
| `language` | judges how a case is written, by its `kind` |
| `run_language` | the same of the kind `run`: rules of nodes, operations, expectations |
| `folds` | the kinds `reduce`, `zero` and `write` |
| `graphs` | the kinds `compile`, `load` and `hash` |
| `runs` | the kind `run`; nodes are `scripted`, the run is `stored`, `replays` go on from each of its commits |
| `delegation_language`, `delegation` | the kind `delegate`; the delegates are `scripted_delegates` |
| `verdict` | the reasons why a case fails |
"""

"""Case files: graphs written down as data, built as real graphs, run, and checked.

| modules, in this order | what they do |
|---|---|
| `cases`, `parts` | find the files, read them as plain values with lines, split them into cases |
| `language`, `shapes`, `types` | judge how a case is written, before anything is built |
| `build`: `states`, `edges`, `composites`, `branches` | build the graph with the product's public calls alone |
| `bodies`: `nodes`, `mocks`, `draining` | what plain nodes do, and what the harness puts around them |
| `middleware`, `layers`, `observers` | what else a case declares, made of the product's own or of the harness's |
| `invocations`, `outcomes`, `probe`, `notes` | run it in every way, and keep what came of it |
| `verdict`, `event_rules`, `compare` | hold what came against what is expected, and against what always holds |
| `assertions`: `events`, `event_invariants`, `isolated`, `drains`, `dispatches` | one entry per key of `expected` |
| `invariants`: `drain_invariants`, `isolation_invariants` | one entry per named claim |
| `documents` | cases about step reducers and graph documents, which have a language of their own |
| `run`, `report` | the results of cases and files, as records and as text |
"""

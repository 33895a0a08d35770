"""Case files: graphs written down as data, built as real graphs, run, and checked.

| modules, in this order | what they do |
|---|---|
| `reading/`: `cases`, `parts`, `shapes` | find the files, read them as plain values with lines, split them into cases |
| `language` | judges how a case is written, before anything is built |
| `building/build`: `states`, `types`, `edges`, `composites`, `branches` | the graph, by public calls alone |
| `building/bodies`: `nodes`, `mocks`, `draining` | what plain nodes do, and what the harness puts around them |
| `building/`: `middleware`, `layers`, `observers` | what else a case declares, the product's own or the harness's |
| `building/`: `probe`, `notes` | what is noted while a graph runs |
| `invocations`, `outcomes` | run it in every way, and keep what came of it |
| `verdict`, `compare` | hold what came against what is expected, and against what always holds |
| `expecting/assertions`: `events`, `event_invariants`, `isolated`, `drains`, `dispatches` | the keys of `expected` |
| `expecting/invariants`: `drain_invariants`, `isolation_invariants` | one entry per named claim |
| `expecting/event_rules` | what holds for the events of every run |
| `documents/` | cases about step reducers and graph documents, which have a language of their own |
| `run`, `report` | the results of cases and files, as records and as text |
"""

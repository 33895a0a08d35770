"""Case files: graphs written down as data, built as real graphs, run, and checked.

| modules, in this order | what they do |
|---|---|
| `cases`, `parts` | find the files, read them as plain values with lines, split them into cases |
| `language`, `shapes`, `types` | judge how a case is written, before anything is built |
| `build`: `states`, `nodes`, `mocks`, `composites`, `edges` | build the graph with the product's public calls |
| `outcomes`, `probe` | run it in every way, and keep what came of it |
| `verdict`: `assertions`, `compare` | hold what came against what is expected |
| `run`, `report` | the results of cases and files, as records and as text |
"""

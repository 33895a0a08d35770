"""Case files with `format: graphnb-conformance/1`: step reducers and graph documents.

| modules, in this order | what they do |
|---|---|
| `language` | judges how a case is written, by its `kind` |
| `folds` | the kinds `reduce`, `zero` and `write` |
| `graphs` | the kinds `compile`, `load` and `hash` |
| `verdict` | the reasons why a case fails |
"""

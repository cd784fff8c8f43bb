"""What is known about libraries: a TOML file in `data/` for each, and the modules that load and check these files.

`loading.models()` gives everything together as a `library.Models`. A table of a file becomes a record: `tables.py` has
transforms and classes, `calls.py` functions that call functions, `function.py` functions. `checks.py` finds mistakes in
a file, `schema.py` describes the files to editors. `generated.py` reads what JAX itself answered about its functions.
`docs/libraries.md` tells authors of libraries how to write a file; what the words do is in `analysis/libraries`.
"""

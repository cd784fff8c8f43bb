"""What runs: the interpreter with its state, the store of objects, the record of events, the limits. See README.md."""

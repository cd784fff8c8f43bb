"""A benchmark that JAX labels: real functions that trace well, with a bug injected into each copy.

    python -m tests.mutants --seed 0 --count 300
    python -m tests.mutants --seed 0 --count 300 --fixes
    python -m tests.mutants --agreement

A recipe calls a function of an installed package with small inputs. A mutant is a copy of the function's module,
changed at one place that the call reaches, with the call at its end. JAX decides which mutants fail, and on which
line; the linter reads the same files. Recall is measured on those that fail, false positives on those that don't.

With `--fixes` the mutants that fail are fixed in their files by `jitlint --fix --unsafe-fixes`; JAX judges them again.

With `--agreement` nothing is changed: the analyzer's stage of each variable that is read, where it is read, is compared
with what tracing showed in it.
"""

"""An oracle that needs no reader: the test suites of public packages run under watch, and JAX labels what they reach.

    python -m tests.ecosystem.oracle
    python -m tests.ecosystem.oracle rlax mctx --show

Three labels come for nothing: a place that is flagged as an error, ran with traced values and did not fail (false); a
place where tracing failed and nothing is flagged (missed); a variable that is traced where the analyzer says static, or
the other way round (disagreeing).
"""

"""The sandbox in which verified code runs, and the interpreter that runs it, from its first instruction.

`confinement.py` is what the linter uses. `enter.py` is a program of its own, run by the Python that runs jitlint: it
goes into the sandbox, then becomes the program that is to run there. Only the standard library is used.
"""

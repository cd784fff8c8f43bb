"""What `jitlint record` puts into a program: it notes what the program's transformed functions are called with.

It runs in the user's interpreter (the standard library, and jax once the program has imported it), changes nothing that
the program does, and hides its own failures.
"""

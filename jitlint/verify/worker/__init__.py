"""What runs in the user's interpreter: the standard library and jax only, reached by path, never through jitlint."""

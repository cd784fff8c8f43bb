"""The worker: runs in the user's interpreter with the standard library and jax only. `README.md` shows its rooms."""

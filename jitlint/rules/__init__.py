"""The rules: each is one module in its family's folder, where `registry` finds it."""

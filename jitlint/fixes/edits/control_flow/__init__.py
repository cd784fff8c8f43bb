"""Python control flow on arrays."""

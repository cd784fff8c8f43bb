"""What code outside of the project does: the standard library, JAX, and frameworks, as the model files say."""

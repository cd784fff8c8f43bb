"""Calls into code outside of the project: what they do is in the model files, how they do it is here. See README.md."""

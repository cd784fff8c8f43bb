"""Inputs as data: what they are, where they come from, and what a function that takes them is called with."""

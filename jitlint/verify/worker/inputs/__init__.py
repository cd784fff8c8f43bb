"""Inputs as data: specifications of values, first guesses, recorded and declared inputs, and calls with them."""

"""Compiles for devices what traces cleanly: for findings, and for each entry point of a survey."""

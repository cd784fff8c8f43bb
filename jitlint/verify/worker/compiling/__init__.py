"""Compiling for devices what traced: for findings, and for each entry point of a survey."""

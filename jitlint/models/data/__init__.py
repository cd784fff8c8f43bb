"""Data files, one per library."""

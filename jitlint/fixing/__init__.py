"""Finds fixes that help, applies them until there are no more, and writes files."""

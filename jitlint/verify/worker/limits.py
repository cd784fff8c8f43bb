"""Limits that linter and worker keep together."""

import os

PROCESSES = max(64, 2 * (os.cpu_count() or 1))
"""How many processes a job may have: there is room for a pool with one for each processor."""

"""Limits that linter and worker keep together."""

import os

PROCESSES = max(64, 2 * (os.cpu_count() or 1))
"""How many processes a job may have: there is room for a pool with one for each processor."""

FORCED = 2
"""Past failures, a probe may take so many times the work of others: whole programs are run again for it."""

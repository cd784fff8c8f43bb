"""Decides cases by their runs: confirmed, refuted, or the reason why a case stays open."""

"""From runs to an outcome: confirmed, refuted, or why it stays open."""

"""The one vocabulary: what the analyzer predicts and what `--verify` observes. Rules, reports and plugins import it."""

"""Watching user code run, and what each run says about each probe."""

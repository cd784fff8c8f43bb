"""Host functions, conversions, sizes and slices."""

"""How functions are jitted, and what they are given."""

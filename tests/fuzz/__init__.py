"""Fuzzing: whatever the analyzer is given, it ends, says where it failed, and says the same again."""

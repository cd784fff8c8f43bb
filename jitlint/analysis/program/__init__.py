"""The order of things: which modules are interpreted, in which pieces, and which results the cache already has."""

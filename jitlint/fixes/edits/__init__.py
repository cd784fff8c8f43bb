"""The edits. Each module makes those of the remedy of its name (`jitlint/fixes/remedies.py`):

`propose(site)` gives the fixes of an event, the best first, and none where it is not certain what to write.
"""

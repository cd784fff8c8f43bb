"""Edits of the user's files. Those that change code use LibCST, which leaves all other spaces and comments as they are.

Importing LibCST takes long, so import a module that needs it only when something is fixed.
"""

"""The commands of the command line, a module each; `__main__` tells which one is meant and imports that."""

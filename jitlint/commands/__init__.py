"""The commands of the command line, a module each; `__main__` imports only the one that runs."""

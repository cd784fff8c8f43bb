"""How fast jitlint is beside other tools, over the same files in one run: see README.md."""

"""Abstract tracing: runs the program on abstract values and writes down the events that tracing would meet."""

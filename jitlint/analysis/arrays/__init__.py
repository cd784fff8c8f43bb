"""What operations on arrays give: dtype, rank, leading axis, and whether the result is traced.

results.py decides whether a result is a tracer, a JAX array or a NumPy array; rules.py finds its facts from the rules
that the models hold for each function of JAX; dtypes.py and shapes.py are the pure helpers of both. rounds.py follows
values that differ in each round of a loop, constants.py the large arrays that become constants of a program.
"""

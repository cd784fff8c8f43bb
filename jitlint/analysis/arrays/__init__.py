"""What operations on arrays give: dtype, rank, leading axis, and whether the result is traced."""

"""The compile cache: what makes it miss, and compiled functions that code keeps by itself.

`static_arguments.py` and `static_fields.py` check the parts of its key, `varying_shapes.py` the shapes, `freshness.py`
and `fresh_fields.py` what is new in every round of a loop; `own_programs.py` says where rounds need programs of their
own.
`kept.py` checks the keys under which code keeps compiled functions; `keepings.py` finds where it does.
"""

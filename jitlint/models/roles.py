"""Roles: what a library's name means to Python's own operations, as the `[roles]` tables of the model files say.

Example: `[roles] logger = ["logging.getLogger"]` makes the methods of what `getLogger` returns effects on a log. So
the analyzer's code mentions roles, never a library's names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ROLES: Final[Mapping[str, str]] = {
    "broadcasts": "an entry of `in_axes`: the argument goes in as it is, in each round the same",
    "catches-everything": "an exception class: a handler for it catches every exception",
    "catches-tracer-errors": "an exception class: a handler for it catches what JAX raises for a tracer",
    "backwards": "a transform that gives derivatives by going backwards through what the function did",
    "chooses": "a function that runs one of the functions it is given",
    "compiles-at-once": "a function that compiles the functions it is given when it is called outside of a trace",
    "computes-now": "a context manager: operations in it are not staged",
    "traces-nothing": "a context manager: transforms in it run functions as they are",
    "counts": "a base class: an item of an instance is a whole number",
    "dataclass": "a class decorator: the class gets a constructor from its annotated fields",
    "describes-arrays": "a class: an instance tells the shape and dtype of an array, and is none",
    "differentiates": "a function that differentiates the function it is given, at once",
    "enum": "a base class: the names that the class body binds are members",
    "expects-error": "a context manager: an exception that is raised in it goes no further",
    "hashes-functions": "a function or transform that finds what it has traced by the hash of the function it is given",
    "keeps-imports": "a context manager: names that are imported in it are bound to the real things",
    "keeps-to-its-trace": "a class: an instance takes new values only in the trace that made it",
    "logger": "a factory of loggers",
    "makes-arrays": "an object, not a class: its subscript makes an array of the items",
    "memoizes": "a function decorator: results are remembered by the hash of the arguments",
    "mesh": "what makes a mesh of devices, with the names of its axes for the second argument",
    "named-tuple": "a base class or factory: instances are tuples whose elements have names",
    "namespace": "a class: an instance's attributes are what was put into it",
    "plain-base": "a base class that says nothing of its subclasses' instances",
    "plain-decorator": "a class decorator that says nothing of the class's instances",
    "pure": "a function that changes nothing: a call whose result nobody takes is of no use",
    "random-state": "a class: an instance's methods draw random numbers on the host, and change it",
    "registers-by-functions": "a registration of a pytree class whose leaves functions or methods of the project tell",
    "registers-pytree": "a registration that makes a class a pytree",
    "registers-static": "a registration that makes a class a pytree without leaves",
    "repeats": "a function that runs the function it is given again and again",
    "runs-at-once": "an object that runs the function that it decorates, and leaves None in its place",
    "static-annotation": "an annotation: a field whose annotation is a subscript of it is no leaf",
    "stops-derivatives": "a function that gives its argument, without derivatives",
    "typed-dict": "a base class: a subclass describes dicts, and calling it gives one",
    "uses-key": "a function that draws random numbers with the key that it gets first",
    "unfreezes": "a function that lets attributes of a frozen object be assigned to",
    "variable": "a class: an instance stands for the array that it holds",
    "writes-its-variables": "a method that gives variables which its object holds new values",
    "writes-arrays": "a function that writes the arrays that it is given to bytes or to a file",
}
"""Each role, and what a name with this role is."""

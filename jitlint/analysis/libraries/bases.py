"""Methods that classes of the project inherit from a library's class: `TrainState.create`, `NamedTuple._replace` …

The project's class inherits from a class that has a model, so that the model says what an inherited method returns.
"""

from __future__ import annotations

from jitlint.analysis.language.calls import with_receiver
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.instances import instantiate
from jitlint.analysis.language.iteration import exact_elements, joined_elements
from jitlint.analysis.libraries.callers import call_with_functions
from jitlint.analysis.libraries.result_words import LibraryCall, value_of_phrase
from jitlint.analysis.libraries.tables import BASE_METHODS, FUNCTIONS, METHODS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.borders import unknown_tree
from jitlint.analysis.tracing.cache.fresh_fields import replaced_fields
from jitlint.analysis.values import UNKNOWN, Class, Instance, Method, Value
from jitlint.analysis.values.args import Args
from jitlint.models.function import FunctionModel
from jitlint.models.tables import ClassModel
from jitlint.source.places import Span


def _instance_method(interp: Interpreter, receiver: Instance, method: Method, args: Args, span: Span) -> Value:
    """Calls a method on an instance of a project class, if the class does not define the method itself."""
    name = method.name
    models = class_facts(interp, receiver.cls).models
    word = _result_word(models, name)
    if name == "__setattr__":
        setattr_function = FUNCTIONS["builtins.object.__setattr__"]
        return setattr_function(interp, FunctionModel(name), with_receiver(receiver, args, span), span)
    mechanism = next((BASE_METHODS[model.handler] for model in models if model.handler), None)
    if mechanism is not None:
        return mechanism(interp, receiver, method, args, span)
    for model in models:
        calls = interp.models.calls.get(f"{model.name}.{name}")
        if calls is not None:
            call_with_functions(interp, f"{model.name}.{name}", calls, args, span, receiver)
    if word == "self":
        return _replaced(interp, receiver, args if name == "replace" else Args([]), span)
    if word and word != "new":
        return value_of_phrase(interp, word, LibraryCall(name, args, span, receiver))
    return _replaced(interp, receiver, args, span) if name in ("replace", "_replace") else UNKNOWN


def _class_method(interp: Interpreter, receiver: Class, method: Method, args: Args, span: Span) -> Value:
    """Calls a class method that a library base defines."""
    if method.name == "_make" and args.positional:
        return _named_tuple_from(interp, receiver, args.positional[0], span)
    makes_instance = _result_word(class_facts(interp, receiver).models, method.name) == "new"
    return instance_from_class_method(interp, receiver, args, span) if makes_instance else UNKNOWN


def _result_word(models: tuple[ClassModel, ...], name: str) -> str:
    """The result word of a method in the models of a class's library bases; "" if none mentions it."""
    return next((model.methods[name] for model in models if name in model.methods), "")


def _named_tuple_from(interp: Interpreter, cls: Class, values: Value, span: Span) -> Value:
    """`NamedTuple._make(iterable)`."""
    exact = exact_elements(interp, values, span, "_make")
    args = Args(exact) if exact is not None else Args([], rest=joined_elements(interp, values, span, "_make"))
    return instantiate(interp, cls, args, span)


def instance_from_class_method(interp: Interpreter, cls: Class, args: Args, span: Span) -> Instance:
    """The instance that a library's class method makes of its keywords: `TrainState.create(params=params)`.

    It has the keywords for attributes, and the arrays that the library adds itself (`array_fields` of the model).
    """
    instance = Instance(cls, interp.depth, interp.loops, interp.site(span), guessed=True)
    for model in class_facts(interp, cls).models:
        instance.fields.update({name: unknown_tree(interp, [], span, model.name) for name in model.array_fields})
    instance.fields.update(args.keywords)
    return instance


def _replaced(interp: Interpreter, receiver: Instance, args: Args, span: Span) -> Value:
    """A copy of an instance in which the keywords replace attributes."""
    return receiver.with_fields(replaced_fields(interp, receiver, args, span))


METHODS.update({Instance: _instance_method, Class: _class_method})

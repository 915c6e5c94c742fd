"""Options that commands share, as one parameter of the command: a dataclass with a field for each."""

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

Result = TypeVar("Result")


def with_groups(command: Callable[..., Result]) -> Callable[..., Result]:
    """The command as typer is to see it: for a parameter that is a dataclass, its fields.

    A field is an option like any other: what it is annotated with, and its default.
    """
    signature = inspect.signature(command)
    groups: dict[str, Any] = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if is_dataclass(parameter.annotation)
    }

    @functools.wraps(command)
    def called(**options: Any) -> Result:
        for name, group in groups.items():
            options[name] = group(
                **{field.name: options.pop(field.name) for field in fields(group)}
            )
        return command(**options)

    parameters = [
        single
        for name, parameter in signature.parameters.items()
        for single in (_of_fields(groups[name]) if name in groups else (parameter,))
    ]
    # typer reads both.
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {single.name: single.annotation for single in parameters}
    return called


def _of_fields(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )

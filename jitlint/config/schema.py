"""The JSON Schema of the settings, for editors that complete and check them."""

from __future__ import annotations

from typing import Any

from jitlint.config.settings import Settings, VerifySettings, keys


def schema() -> dict[str, Any]:
    """The JSON Schema of a jitlint.toml, and of the table [tool.jitlint]."""
    extend = {"type": "string", "description": "A file whose settings hold where this one has none."}
    verify = {"description": "How to verify findings.", **_table(VerifySettings)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "jitlint",
        **_table(Settings, {"extend": extend, "verify": verify}),
    }


def _table(table: type[Settings | VerifySettings], more: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = {
        key.name: {"description": key.description, **key.value_type.schema, **_default(key.default)}
        for key in keys(table)
    }
    return {"type": "object", "additionalProperties": False, "properties": {**properties, **(more or {})}}


def _default(value: Any) -> dict[str, Any]:
    if value is None or value == "":
        return {}
    return {"default": list(value) if isinstance(value, tuple) else value}

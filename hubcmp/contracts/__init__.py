"""The door for data: one pydantic model per JSON contract, the published schemas made from them, and saved comparisons read back.

Only this package imports pydantic, and it is imported only by the functions that need it.
"""

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from hubcmp.contracts._saved import LIMIT as LIMIT
from hubcmp.contracts._saved import is_saved as is_saved
from hubcmp.contracts._saved import read as read
from hubcmp.contracts.bench import Bench
from hubcmp.contracts.card import Card
from hubcmp.contracts.check import Check
from hubcmp.contracts.compare import Compare
from hubcmp.contracts.depth import Depth
from hubcmp.contracts.params import Params
from hubcmp.facts import Evidence

__all__ = ["CONTRACTS", "LIMIT", "is_saved", "read", "schema"]

CONTRACTS: dict[str, TypeAdapter[Any]] = {
    "compare": TypeAdapter(Compare),
    "card": TypeAdapter(list[Card]),
    "params": TypeAdapter(list[Params]),
    "bench": TypeAdapter(list[Bench]),
    "check": TypeAdapter(list[Check]),
    "depth": TypeAdapter(list[Depth]),
}
"""What each command prints with --format json."""


class _Words(GenerateJsonSchema):
    """Describes evidence by its words, as it is written."""

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Return the schema of an enumeration."""
        if schema["cls"] is Evidence:
            return {"enum": [kind.word for kind in Evidence], "type": "string", "title": "Evidence"}
        return super().enum_schema(schema)


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one contract. Raises KeyError for a name that is none."""
    found = CONTRACTS[name].json_schema(schema_generator=_Words)
    return {"$schema": GenerateJsonSchema.schema_dialect} | found | {"title": f"hubcmp {name}"}

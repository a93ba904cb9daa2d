"""`groundwire config schema`: the form of a file of settings, for editors."""

import argparse
import json
from collections.abc import Mapping

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema

from groundwire_server.config.block import BLOCK, SECTIONS, SETTINGS, TOP, keys_of
from groundwire_server.config.settings import GROUPS, ServerSettings
from groundwire_server.exit_codes import EXIT_OK

Schema = dict[str, object]


class _WithoutTitles(GenerateJsonSchema):
    """A title would only say a setting's name again."""

    def field_title_should_be_set(self, schema: CoreSchema) -> bool:
        return False


def config_schema() -> Schema:
    """What a file may hold, in draft 2020-12.

    It is stricter than the loader in one thing: numbers are plain ones, and switches true or
    false, without quotes. It does not know the range of a duration with a unit, nor which settings
    need or exclude each other.
    """
    made = ServerSettings.model_json_schema(schema_generator=_WithoutTitles)
    settings, shapes = made["properties"], made["$defs"]
    defaults = ServerSettings().model_dump(mode="json")  # as a file would have them
    for name, schema in settings.items():
        schema |= {
            "description": " ".join(schema["description"].split()),
            "default": defaults[name],
        }
    sections = {_section_id(name): _section(name) for name in sorted(SECTIONS)}
    properties = {name: _reference(name) for name in settings}
    for key, keys in TOP.items():
        section = _reference(_section_id("_".join(keys))) if keys else _section("")
        properties[key] = {"anyOf": [properties[key], section]} if key in properties else section
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "Configuration of groundwire serve",
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": False,
        "$defs": {**settings, **sections, **shapes},
    }


def _section(section: str) -> Schema:
    """What the block, or a section of it, may hold: some keys for editors to propose, and the
    others, by which the same settings are reached, as patterns, which editors do not propose."""
    start = f"{section}_" if section else ""
    proposed, others = {}, {}
    for key in keys_of(section):
        name = start + key
        ways = [_reference(SETTINGS[name])] if name in SETTINGS else []
        ways += [_reference(_section_id(name))] if name in SECTIONS else []
        taken = ways[0] if len(ways) == 1 else {"anyOf": ways}
        if _is_proposed(section, key):
            proposed[key] = taken
        else:
            others[f"^{key}$"] = taken
    titles = [group.__doc__ for group in GROUPS if group.section == section]
    return {
        **({"description": titles[0]} if titles else {}),
        "type": "object" if section in SETTINGS else ["object", "null"],
        "properties": proposed,
        "patternProperties": others,
        "additionalProperties": False,
    }


def _is_proposed(section: str, key: str) -> bool:
    """Whether a group of settings has this key here: its own, or that of its section."""
    if not section and any(group.section == key for group in GROUPS):
        return True
    setting = SETTINGS.get(f"{section}_{key}" if section else key)
    return any(group.section == section and setting in group.model_fields for group in GROUPS)


def _section_id(section: str) -> str:
    return f"{BLOCK}.{section}"


def _reference(definition: str) -> Schema:
    return {"$ref": f"#/$defs/{definition}"}


def add(_: argparse.ArgumentParser) -> None:
    """It takes nothing."""


def run(_: argparse.Namespace, __: Mapping[str, str]) -> int:
    """Print it as JSON Schema."""
    print(json.dumps(config_schema(), indent=2))
    return EXIT_OK

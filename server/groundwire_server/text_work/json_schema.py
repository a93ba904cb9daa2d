"""JSON Schemas of requests: whether one can be used, and how a text differs from it.

Runs in a process that can be killed, since a pattern can take for ever. Nothing is ever fetched.
"""

import json

from groundwire_verifier.checks.outputs.formats import MAX_FORMAT_VIOLATIONS, FormatViolation

MAX_DESCRIPTION_CHARACTERS = 200
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def schema_fault(schema: str) -> str:
    """What is wrong with a schema; empty if it can be used. Never raises."""
    from jsonschema.exceptions import SchemaError

    try:
        return _fault(json.loads(schema))
    except json.JSONDecodeError as error:
        return f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    except SchemaError as error:
        return f"is not a JSON Schema: {_short(error.message)}"
    except RecursionError:
        return "is nested too deeply"
    except Exception as error:  # noqa: BLE001 - the edge of a library, which a schema can break
        return f"cannot be used: checking it fails with {type(error).__name__}"


def _fault(value: object) -> str:
    from jsonschema import validators

    if not isinstance(value, (dict, bool)):
        return "is not a JSON Schema: it is neither an object nor true or false"
    validators.validator_for(value, validators.Draft202012Validator).check_schema(value)
    if _refers_outside(value):
        return "refers to something outside of itself, which is never fetched: put it inside"
    return ""


def schema_differences(text: str, schema: str) -> tuple[FormatViolation, ...]:
    """How a JSON value differs from a schema that has no fault, the first ones. Never raises."""
    from jsonschema import validators
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    found: list[FormatViolation] = []
    try:
        wanted: object = json.loads(schema)
        validator = validators.validator_for(wanted, validators.Draft202012Validator)
        # A registry of its own, so that no reference is looked up anywhere else.
        for error in validator(wanted, registry=Registry()).iter_errors(json.loads(text)):
            pointer = "".join(f"/{_escaped(str(part))}" for part in error.absolute_path)
            found.append(FormatViolation(pointer, _short(error.message)))
            if len(found) == MAX_FORMAT_VIOLATIONS:
                break
    except Unresolvable:
        found.append(FormatViolation("", "the schema refers to a part that it does not have"))
    except RecursionError:
        found.append(FormatViolation("", "it is nested too deeply to be held against the schema"))
    except Exception as error:  # noqa: BLE001 - the edge of a library, which a schema can break
        words = f"holding it against the schema fails with {type(error).__name__}"
        found.append(FormatViolation("", words))
    return tuple(found)


def _refers_outside(value: object) -> bool:
    if isinstance(value, list):
        return any(_refers_outside(each) for each in value)
    if not isinstance(value, dict):
        return False
    named = (value.get(key) for key in _REFERENCES)
    if any(isinstance(each, str) and not each.startswith("#") for each in named):
        return True
    return any(_refers_outside(each) for each in value.values())


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")


def _short(text: str) -> str:
    if len(text) <= MAX_DESCRIPTION_CHARACTERS:
        return text
    return text[: MAX_DESCRIPTION_CHARACTERS - 1] + "\u2026"

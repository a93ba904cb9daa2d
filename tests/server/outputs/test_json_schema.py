"""JSON Schemas of requests: none ends in an error of its checker, however odd it is."""

import pytest

from groundwire_server.text_work.json_schema import schema_differences, schema_fault

LONG = "1" * 5000
"""More digits than Python makes an integer of."""


@pytest.mark.parametrize("schema", ['{"$schema": 5}', f'{{"const": {LONG}}}'])
def test_a_schema_that_breaks_its_checker_has_a_fault(schema: str) -> None:
    assert "cannot be used" in schema_fault(schema)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ('{"x": [1], "$ref": "#/x/foo"}', "1"),
        ('{"x": {"pattern": "("}, "$ref": "#/x"}', '"text"'),
        ('{"multipleOf": 0.5}', "1e400"),
        ('{"multipleOf": 0.5}', f"1{'0' * 400}"),
        ('{"multipleOf": 0.5}', LONG),
    ],
)
def test_a_schema_that_breaks_its_checker_with_a_text_is_a_violation(
    schema: str, text: str
) -> None:
    assert not schema_fault(schema)
    (violation,) = schema_differences(text, schema)
    assert violation.pointer == ""
    assert "fails with" in violation.description


def test_what_was_found_before_it_broke_is_kept() -> None:
    schema = '{"properties": {"a": {"type": "string"}, "b": {"multipleOf": 0.5}}}'
    found = schema_differences('{"a": 1, "b": 1e400}', schema)
    assert [violation.pointer for violation in found] == ["/a", ""]

"""Every enum of the clients has a member for each value of the contract."""

import importlib
import pkgutil
import re
from enum import StrEnum
from types import ModuleType

import pytest
from google.protobuf.descriptor import EnumDescriptor

import groundwire
from groundwire import v1

ENUMS = {
    name: kind
    for name, kind in vars(groundwire).items()
    if isinstance(kind, type) and issubclass(kind, StrEnum)
}
NAMES = {"Source": "EstimateSource"}
"""What the contract calls an enum, where that is another name."""
OWN = {"GateReason": {"NO_ANSWER", "INVALID_REQUEST"}}
"""What only a client can tell."""


def contract() -> dict[str, EnumDescriptor]:
    """The enums of the contract by their names."""
    files = [each.name for each in pkgutil.iter_modules(v1.__path__) if each.name.endswith("_pb2")]
    modules = [importlib.import_module(f"{v1.__name__}.{name}") for name in files]
    return {
        name: enum
        for module in modules
        for name, enum in module.DESCRIPTOR.enum_types_by_name.items()
    }


@pytest.mark.parametrize("name", ENUMS)
def test_an_enum_has_every_value_of_the_contract(name: str) -> None:
    enum = contract()[NAMES.get(name, name)]
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.name).upper() + "_"
    values = {each.name.removeprefix(prefix) for each in enum.values if each.number}
    newer = {"UNKNOWN", "UNRECOGNISED"} - values
    assert {member.name for member in ENUMS[name]} - newer == values | OWN.get(name, set())


def test_no_enum_of_the_contract_is_missing() -> None:
    assert contract().keys() == {NAMES.get(name, name) for name in ENUMS}


def test_all_that_the_package_has_is_imported_by_a_star_and_no_module() -> None:
    names = vars(groundwire)["__all__"]
    assert set(ENUMS) | {"Client", "AsyncClient", "TLS"} <= set(names)
    assert not [name for name in names if isinstance(getattr(groundwire, name), ModuleType)]

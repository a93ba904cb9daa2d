"""Which bases the verifiers are made of."""

import pytest

from groundwire_server.models.store import EMBEDDED_MODELS
from groundwire_training.embedded.choice import MODELS


@pytest.mark.parametrize("model", MODELS)
def test_the_base_that_a_verifier_is_made_of_can_be_prepared(model: str) -> None:
    assert MODELS[model].base in EMBEDDED_MODELS

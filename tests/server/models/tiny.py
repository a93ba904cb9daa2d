"""A model that is made at once, for the tests of the store and the processes that they kill."""

from dataclasses import replace
from hashlib import sha256

from groundwire_server.models.convert import EmbeddedModel
from groundwire_server.models.sources import InstalledPackage

WEIGHTS = b"GGUF and some numbers"
PACKAGE = "tiny_weights"
TINY = EmbeddedModel(
    name="tiny",
    source=InstalledPackage(PACKAGE, "tiny-weights==1.0"),
    file_name="tiny.gguf",
    source_sha256=sha256(WEIGHTS).hexdigest(),
    prepared_size_bytes=100,
    licence="Apache-2.0",
    short_name="little",
)
COPY = replace(TINY, name="tiny-int8", short_name=None, int8_of=TINY)

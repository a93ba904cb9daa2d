"""Configuration: a YAML file, then the environment, then flags, the later the stronger.

The only reader of the environment. An unknown key or variable is an error that names it, but for
variables that Kubernetes makes for a Service. So is a setting that a file has twice.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, SecretStr, ValidationError

from groundwire_server.config import block
from groundwire_server.config.service_settings import BackendEntry
from groundwire_server.config.settings import (
    BLOCK_SWITCH,
    SWITCHES,
    ClientSettings,
    ServerSettings,
    is_on,
)

SERVER_PREFIX = "GROUNDWIRE_"
CLIENT_PREFIX = "GROUNDWIRE_CLIENT_"
CONFIG_VARIABLE = "GROUNDWIRE_CONFIG"
NO_SETTINGS = frozenset({CONFIG_VARIABLE, "GROUNDWIRE_SHARED"})
"""Variables that begin like those of settings. The second has the data of tests and benches, which
start servers."""
IN_FILE = "file:"
"""What a secret begins with that stands in a file, whose path follows."""
SENDABLE = re.compile(r"[!-~]+")
"""What a header can carry behind `Bearer `."""

_ADDRESS = r"[0-9a-fA-F.:]+"
_NUMBER = r"[0-9]+"
_LINK = r"(?:tcp|udp|sctp)://\S+:[0-9]+"
_PORT = r"PORT_[0-9]+_(?:TCP|UDP|SCTP)"

_SERVICE_VARIABLES = (
    ("SERVICE_HOST", _ADDRESS),
    ("SERVICE_PORT(?:_[A-Z0-9_]+)?", _NUMBER),
    (f"PORT|{_PORT}", _LINK),
    (f"{_PORT}_PROTO", "tcp|udp|sctp"),
    (f"{_PORT}_PORT", _NUMBER),
    (f"{_PORT}_ADDR", _ADDRESS),
)
"""What Kubernetes puts into a container for each Service of its namespace: how a name goes on after
that of the Service, and its value. A Service called groundwire makes names that begin as ours."""

_MADE_BY_KUBERNETES = [
    (re.compile(rf"[A-Z][A-Z0-9_]*?_(?:{name})"), re.compile(value))
    for name, value in _SERVICE_VARIABLES
]


class ConfigError(Exception):
    """The configuration cannot be used; the text names the setting and where it came from."""


def load_server_settings(
    flags: Mapping[str, object], environ: Mapping[str, str], config_file: Path | None
) -> ServerSettings:
    """Merge file, environment and flags. `flags` holds only what was given.

    Raises ConfigError.
    """
    file, *named = _server_sources(flags, environ, config_file)
    silent = not any(BLOCK_SWITCH in source for source in (file, *named))
    if silent and (place := _switched_on(file)) is not None:
        raise ConfigError(
            f"hallucination.enabled is missing: {place} switches a feature on, which stays off "
            f"without it. Add 'enabled: true' to the block {block.BLOCK} of the file, or "
            f"'{BLOCK_SWITCH}: true' at its top"
        )
    # A feature that is named later than `enabled: false` is the stronger of the two.
    implied = [
        {BLOCK_SWITCH: (place, True)} | dict(source)
        if (place := _switched_on(source)) is not None
        else source
        for source in named
    ]
    return _merge(ServerSettings, [file, *implied])


def _switched_on(source: "SettingLayer") -> str | None:
    """Where a source switches a feature on; None where it switches on none."""
    return next(
        (source[name][0] for name in SWITCHES if name in source and is_on(source[name][1])), None
    )


def _server_sources(
    flags: Mapping[str, object], environ: Mapping[str, str], config_file: Path | None
) -> Iterator["SettingLayer"]:
    path = config_file or (Path(environ[CONFIG_VARIABLE]) if CONFIG_VARIABLE in environ else None)
    variables = {
        name: value
        for name, value in environ.items()
        if name.startswith(SERVER_PREFIX)
        and not name.startswith(CLIENT_PREFIX)
        and name not in NO_SETTINGS
    }
    yield _read_file(path) if path is not None else {}
    yield _from_variables(ServerSettings, variables, SERVER_PREFIX)
    yield {key: (f"--{key.replace('_', '-')}", value) for key, value in flags.items()}


def log_format_of(
    flags: Mapping[str, object], environ: Mapping[str, str], config_file: Path | None
) -> str:
    """How lines are logged, known before it is known whether the settings can be used."""
    found = "text"
    try:
        for source in _server_sources(flags, environ, config_file):
            found = str(source.get("log_format", ("", found))[1])
    except ConfigError:
        # What says so looks as the stronger sources have it.
        found = environ.get(f"{SERVER_PREFIX}LOG_FORMAT", found)
    return found


def load_client_settings(flags: Mapping[str, object], environ: Mapping[str, str]) -> ClientSettings:
    """Merge environment and flags. Raises ConfigError."""
    variables = {name: v for name, v in environ.items() if name.startswith(CLIENT_PREFIX)}
    sources = [
        _from_variables(ClientSettings, variables, CLIENT_PREFIX),
        {key: (f"--{key.replace('_', '-')}", value) for key, value in flags.items()},
    ]
    return _merge(ClientSettings, sources)


def read_bytes(path: Path, setting: str) -> bytes:
    """Read a file that a setting names. Raises ConfigError with the setting's name."""
    try:
        return path.expanduser().read_bytes()
    except OSError as error:
        raise ConfigError(f"{setting}: {path} cannot be read: {error.strerror}") from error


def read_secret_bytes(setting: str, value: SecretStr | None) -> bytes | None:
    """A secret without blanks at its ends, out of its file where the setting is `file:PATH`.

    None where it is unset. Raises ConfigError if the file cannot be read.
    """
    if value is None:
        return None
    file = secret_file(value)
    data = value.get_secret_value().encode() if file is None else read_bytes(file, setting)
    return data.strip()


def read_secret(setting: str, value: SecretStr | None) -> str | None:
    """The same as text."""
    data = read_secret_bytes(setting, value)
    return None if data is None else data.decode("utf-8", errors="replace")


def secret_file(value: SecretStr) -> Path | None:
    """The file that a secret lies in; None where it stands in the settings itself."""
    text = value.get_secret_value().strip()
    return Path(text.removeprefix(IN_FILE)) if text.startswith(IN_FILE) else None


def show(settings: BaseModel) -> str:
    """The effective settings as YAML, with secrets hidden."""
    values = _without_secrets(settings.model_dump(mode="json"))
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True)


def _without_secrets(value: object) -> object:
    """The same with every address in it as `without_secrets` has it."""
    if isinstance(value, dict):
        return {key: _without_secrets(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_secrets(each) for each in value]
    return without_secrets(value) if isinstance(value, str) else value


def without_secrets(url: str) -> str:
    """An address without its user, query and fragment; what is none stays as it is."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url
    place, slash, path = re.split("[?#]", rest)[0].partition("/")
    return f"{scheme}{mark}{place.rpartition('@')[2]}{slash}{path}"


def expanded(path: Path, setting: str) -> Path:
    """A path whose `~` is the home folder. Raises ConfigError where the user has none."""
    try:
        return path.expanduser()
    except RuntimeError:
        raise ConfigError(
            f"{setting}: {path} lies in a home folder, and this user has none: name another "
            "folder, or set HOME"
        ) from None


S = TypeVar("S", ServerSettings, ClientSettings)
SettingLayer = Mapping[str, tuple[str, object]]
"""Values by key, each with the place that it came from."""


_UNREADABLE = (
    yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, OverflowError,
)  # fmt: skip
"""ValueError: no UTF-8, or a date that is none. The others come of tags such as `!!int`."""


class _UniqueKeyLoader(yaml.SafeLoader):
    """Refuses a key that a mapping has twice, of which YAML's loader would take the last."""

    def compose_mapping_node(self, anchor: dict[str, yaml.Node]) -> yaml.MappingNode:
        """What the mapping holds as it was written, before `<<` merges others into it."""
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            line = key.start_mark.line + 1
            if key.value in lines:
                raise yaml.YAMLError(
                    f"{key.value} stands in line {lines[key.value]} and again in line {line}: "
                    "leave one out"
                )
            lines[key.value] = line
        return node


def _read_file(path: Path) -> SettingLayer:
    found: dict[str, tuple[str, object]] = {}
    for place, name, value in _values_in(load_yaml(path), path):
        if name in found:
            raise ConfigError(f"{found[name][0]} and {place} are one setting: leave one out")
        found[name] = (place, value)
    return found


def _values_in(loaded: Mapping[object, object], path: Path) -> Iterator[tuple[str, str, object]]:
    """The place of each value, the setting that it is for, and the value."""
    for key, value in loaded.items():
        place, name = f"{key} in {path}", str(key)
        if name in block.TOP and isinstance(value, dict | None):
            for nested in block.values_in(value or {}, block.TOP[name]):
                where = block.path_of(name, nested.keys)
                if nested.setting is None:
                    raise _unknown(f"{where} in {path}", where, block.nearest(name, nested.keys))
                yield f"{where} in {path}", nested.setting, nested.value
        elif name in block.TOP.keys() - ServerSettings.model_fields.keys():
            raise ConfigError(f"{place} takes keys with values below it")
        elif isinstance(value, dict) and name in block.SECTIONS - block.SETTINGS.keys():
            raise _unknown(place, name, f"{block.BLOCK}.{name}")
        else:
            yield place, name, value


def load_yaml(path: Path) -> Mapping[object, object]:
    """The keys of a YAML file with their values, each only once. Raises ConfigError."""
    try:
        # It is a SafeLoader: it makes plain values only.
        loaded = yaml.load(path.read_text(encoding="utf-8"), _UniqueKeyLoader)  # noqa: S506
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except _UNREADABLE as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from error
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply: a setting takes a plain value") from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigError(f"{path} must hold keys with values, such as 'listen: 127.0.0.1:50051'")
    return loaded


def _from_variables(
    model: type[ServerSettings | ClientSettings], variables: Mapping[str, str], prefix: str
) -> SettingLayer:
    keys = {name: name.removeprefix(prefix).lower() for name in variables}
    return {
        key: (f"variable {name}", variables[name])
        for name, key in keys.items()
        if key in model.model_fields or not is_made_by_kubernetes(name, variables[name])
    }


def _merge(model: type[S], sources: list[SettingLayer]) -> S:
    merged: dict[str, tuple[str, object]] = {}
    for source in sources:
        for key, (place, value) in source.items():
            if key not in model.model_fields:
                raise _unknown(place, key, _nearest(key, model.model_fields))
            merged[key] = (place, value)
    try:
        return model.model_validate({key: value for key, (_, value) in merged.items()})
    except ValidationError as error:
        inside, words = first_problem(error)
        key, *within = inside.split(".")
        place = f"{merged[key][0]}: " if key in merged else ""
        if within:
            if within[-1] not in BackendEntry.model_fields and not within[-1].isdigit():
                words = "there is no such key" + _hint(
                    _nearest(within[-1], BackendEntry.model_fields)
                )
            place += key + "".join(f"[{k}]" if k.isdigit() else f".{k}" for k in within) + ": "
        raise ConfigError(f"{place}{words.removeprefix('Value error, ')}") from None


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Where the first wrong value is, its keys with dots between, and what is wrong with it.

    In pydantic's words, and without the value, which may be a secret.
    """
    first = error.errors(include_input=False, include_url=False)[0]
    return ".".join(map(str, first["loc"])), first["msg"]


def _unknown(place: str, name: str, meant: str | None) -> ConfigError:
    return ConfigError(f"{place}: there is no setting {name!r}{_hint(meant)}")


def _hint(meant: str | None) -> str:
    return f"; did you mean {meant}?" if meant else ""


def _nearest(key: str, keys: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(key, keys, n=1)), None)


def is_made_by_kubernetes(name: str, value: str) -> bool:
    """Whether a variable has the name, and the kind of value, of one that tells of a Service.

    The value counts too: a port in `NAME_PORT` is somebody's mistake, since Kubernetes writes a
    link such as tcp://10.0.0.1:50051 there.
    """
    return any(
        names.fullmatch(name) and values.fullmatch(value) for names, values in _MADE_BY_KUBERNETES
    )

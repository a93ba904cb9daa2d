"""Makes tokens, quotas and TLS certificates from the settings, and says which files they are in."""

from groundwire_server.access.callers import CacheScope
from groundwire_server.access.certificates import certificates_of
from groundwire_server.access.logins import Logins
from groundwire_server.access.rotation import Files, Rotated
from groundwire_server.config.access import read_quotas, read_tokens
from groundwire_server.config.credentials import check_plaintext
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.rpc.accounts import Accounts
from groundwire_server.stores.result_cache import shared_key


class Entrance:
    """What the settings say of access. `logins` is None where no token is asked for, and
    `certificates` where there is no TLS."""

    def __init__(self, settings: ServerSettings) -> None:
        """Read all files. Raises ConfigError."""
        check_plaintext(settings, "listen", settings.listen)
        self._settings = settings
        self._token_file = Files(settings.auth_token_file)
        self._tenants_file = Files(settings.tenants_file)
        self.tokens = read_tokens(settings)
        """Those that were there at the start."""
        self.logins = Logins(self.tokens) if self.tokens else None
        self.quotas = read_quotas(settings)
        if settings.tenants_file is not None and self.logins is None:
            raise ConfigError(
                "tenants_file is set, but no token is asked for, so tenants cannot be told apart: "
                "set auth_token_file, with lines that `groundwire token new --tenant NAME` prints"
            )
        self.certificates, self._certificates_rotated = certificates_of(
            settings.tls_cert_file, settings.tls_key_file, settings.tls_client_ca_file
        )
        key = shared_key(settings, "cache salts")
        self.scope = CacheScope.of(settings, key, tokens=self.logins is not None)

    def rotated(self, accounts: Accounts | None) -> list[Rotated]:
        """What becomes of the files when they change. `accounts` get new quotas."""

        def read_again() -> None:
            quotas = read_quotas(self._settings)
            if accounts is not None:
                accounts.configure(quotas)

        return [
            Rotated("tokens", self._token_file, self._read_tokens),
            Rotated("quotas", self._tenants_file, read_again),
            self._certificates_rotated,
        ]

    def _read_tokens(self) -> None:
        tokens = read_tokens(self._settings)
        if self.logins is not None:
            self.logins.replace(tokens)

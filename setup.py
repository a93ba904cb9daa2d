"""Lets pip find the client, which stands beside the server in a checkout and on no index."""

import sys
from pathlib import Path

from setuptools import Distribution, setup

CLIENT = Path(__file__).resolve().parent / "clients" / "python"


class _Checkout(Distribution):
    """What is installed from here needs the client of here; a wheel that is built asks an index."""

    def parse_config_files(self, *given: object, **options: object) -> None:
        super().parse_config_files(*given, **options)
        if CLIENT.is_dir() and "bdist_wheel" not in sys.argv:
            self.install_requires = self.metadata.install_requires = [
                f"groundwire @ {CLIENT.as_uri()}" if need.startswith("groundwire==") else need
                for need in self.install_requires
            ]


setup(distclass=_Checkout)

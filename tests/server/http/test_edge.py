"""What holds for every request of HTTP: methods, types, names, origins, bugs, counting."""

import logging
from http import HTTPStatus

import httpx
import pytest

from tests.collector import Collector
from tests.scripted import WAIT_LIMIT_S
from tests.server.http.door import BACKEND, BATCH, JSON, Door, http_server, reason_in
from tests.server.rpc.test_interceptors import scrape

PAGE = "https://app.example.org"
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"

#!/usr/bin/env python3
"""Has a real headless Chromium call a server over gRPC-Web and Connect, and show /docs.

Outside the gate. The page's client is Connect's own for browsers, bundled here:
`npm install --prefix build/browser @connectrpc/connect@2.2.0 @connectrpc/connect-web@2.2.0
@bufbuild/protobuf@2.17.0 esbuild@0.28.2`, then
`.venv/bin/python scripts/browser_http.py build/browser/node_modules /usr/bin/chromium`.
The page comes from another origin, so that CORS is tested, too. The server's engine is scripted.
Says what was seen, and exits with 1 where that is not what was wanted.
"""

import asyncio
import http
import http.server
import json
import queue
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path

from tests.scripted import scripted_server

ROOT = Path(__file__).resolve().parents[1]
WAIT_S = 60

PAGE = """
import { createClient, Code, ConnectError } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import bytes from "./contract.bin";

const files = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
const service = (name) => files.getService(`groundwire.v1.${name}`);
const baseUrl = new URLSearchParams(location.search).get("server");
const seen = {};
const transports = { grpcweb: createGrpcWebTransport, connect: createConnectTransport };
for (const [name, make] of Object.entries(transports)) {
  try {
    const transport = make({ baseUrl });
    const backend = createClient(service("VerifierBackend"), transport);
    const batch = await backend.batchEstimate({ claims: ["a", "b"] });
    const detection = createClient(service("HallucinationDetection"), transport);
    const events = [];
    const evidence = { context: "The tower has two floors." };
    const request = { answer: "The tower has two floors. It is old.", evidence };
    for await (const piece of detection.verifyAnswerStream({ request })) {
      events.push(piece.event.case);
    }
    let refused = null;
    try {
      await backend.batchEstimate({ claims: [" "] });
    } catch (error) {
      const told = ConnectError.from(error);
      refused = [Code[told.code], told.rawMessage.split(":")[0], told.details.length];
    }
    seen[name] = { estimates: batch.estimates.length, events: [events[0], events.at(-1)], refused };
  } catch (error) {
    seen[name] = String(error);
  }
}
await fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
"""
WANTED = {
    "estimates": 2,
    "events": ["found", "report"],
    "refused": ["InvalidArgument", "claims[0]", 2],
}


class _Pages(http.server.ThreadingHTTPServer):
    """Serves a folder, and keeps what its page has seen."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.seen: queue.Queue[bytes] = queue.Queue()


class _Handler(http.server.SimpleHTTPRequestHandler):
    server: _Pages

    def do_POST(self) -> None:
        self.server.seen.put(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(http.HTTPStatus.NO_CONTENT)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def bundle(modules: Path, folder: Path) -> None:
    """Put the page and its script into a folder."""
    contract = folder / "contract.bin"
    files = sorted(str(path.relative_to(ROOT / "proto")) for path in ROOT.rglob("proto/**/*.proto"))
    protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'proto'}"]
    subprocess.run([*protoc, "--include_imports", f"-o{contract}", *files], check=True)
    (folder / "page.js").write_text(PAGE, encoding="utf-8")
    (folder / "node_modules").symlink_to(modules)
    build = [str(modules / ".bin" / "esbuild"), "page.js", "--bundle", "--format=esm"]
    build += ["--loader:.bin=binary", "--outfile=bundle.js", "--log-level=error"]
    subprocess.run(build, cwd=folder, check=True)
    text = '<!doctype html><script type="module" src="bundle.js"></script><body>waiting</body>'
    (folder / "index.html").write_text(text, encoding="utf-8")


def command(chromium: str, address: str, *flags: str) -> list[str]:
    """What shows a page."""
    return [chromium, "--headless", "--no-sandbox", "--disable-gpu", *flags, address]


def seen_by(chromium: str, pages: _Pages, address: str) -> dict[str, object]:
    """What the page tells of its calls. Raises queue.Empty if it never does."""
    with subprocess.Popen(command(chromium, address), stderr=subprocess.DEVNULL) as browser:
        try:
            return dict(json.loads(pages.seen.get(timeout=WAIT_S)))
        finally:
            browser.terminate()


def paths_in(chromium: str, address: str) -> int:
    """How many paths the browser shows on /docs."""
    flags = (f"--virtual-time-budget={WAIT_S * 1000}", "--dump-dom")
    done = subprocess.run(
        command(chromium, address, *flags), check=True, capture_output=True, text=True
    )
    return done.stdout.count('class="opblock-summary-path"')


async def check(chromium: str, pages: _Pages) -> bool:
    """Whether all went well."""
    page = f"http://127.0.0.1:{pages.server_port}"
    async with scripted_server(http_listen="127.0.0.1:0", http_origins=page) as served:
        server = f"http://{served.running.http.target if served.running.http is not None else ''}"
        address = f"{page}/index.html?server={server}"
        seen = await asyncio.to_thread(seen_by, chromium, pages, address)
        shown = await asyncio.to_thread(paths_in, chromium, f"{server}/docs")
    for name, told in seen.items():
        print(f"{name}: {json.dumps(told)}")
    print(f"/docs: {shown} paths")
    return seen == {"grpcweb": WANTED, "connect": WANTED} and shown > 0


def main(modules: str, chromium: str) -> int:
    """Serve the page, and have it shown."""
    with tempfile.TemporaryDirectory() as name:
        bundle(Path(modules).resolve(), Path(name))
        pages = _Pages(Path(name))
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        try:
            return 0 if asyncio.run(check(chromium, pages)) else 1
        finally:
            pages.shutdown()
            pages.server_close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

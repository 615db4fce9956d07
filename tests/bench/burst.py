"""Many requests in the same instant: all connections are open before the first byte is sent."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.bench.clients import PATIENCE_SECONDS, PROXY_HEADERS, Request
from tests.drills.report import percentile

CRLF = "\r\n"


@dataclass(frozen=True, slots=True)
class Burst:
    """How it went. drained: seconds until the last answer. took: of each one, sorted."""

    statuses: dict[int, int]
    drained: float
    took: list[float]

    def percentile(self, share: float) -> float:
        """Give the smallest time in seconds that so many of the answers took at most."""
        return percentile(self.took, share)


def burst(url: str, requests: Sequence[Request]) -> Burst:
    """Send each request over a connection of its own, all at once."""
    return asyncio.run(_burst(url, requests))


async def _burst(url: str, requests: Sequence[Request]) -> Burst:
    address = urlsplit(url)
    streams = [await asyncio.open_connection(address.hostname, address.port) for _ in requests]
    gate = asyncio.Event()
    waiting = [
        asyncio.create_task(_send(gate, stream, request))
        for stream, request in zip(streams, requests, strict=True)
    ]
    await asyncio.sleep(0.1)  # everybody has come to the gate
    began = time.perf_counter()
    gate.set()
    answers = await asyncio.wait_for(asyncio.gather(*waiting), PATIENCE_SECONDS)
    ended = [end - began for _, end in answers]
    return Burst(dict(Counter(status for status, _ in answers)), max(ended), sorted(ended))


async def _send(
    gate: asyncio.Event,
    stream: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    request: Request,
) -> tuple[int, float]:
    """Send when the gate opens; give the status, and when the answer had come."""
    reader, writer = stream
    message = _message(request)
    await gate.wait()
    writer.write(message)
    answer = await reader.read()
    ended = time.perf_counter()
    writer.close()
    return int(answer.split(b" ", 2)[1]), ended


def _message(request: Request) -> bytes:
    headers = {**PROXY_HEADERS, **request.headers, "Connection": "close"}
    body = request.body.encode()
    if body:
        headers["Content-Length"] = str(len(body))
    lines = [f"{request.method} {request.path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return (CRLF.join(lines) + CRLF * 2).encode() + body

"""Clients that send one byte a second: half of them a header, half a body."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

HEADER = "GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: "
BODY = "POST /api/booking HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5000\r\n\r\n"
SECONDS_PER_BYTE = 1.0
# Whoever is thrown out comes back after so long.
PAUSE_SECONDS = 0.5


@dataclass
class Crowd:
    """What becomes of the slow ones. inside: connections that are open; ended: by the server."""

    inside: int = 0
    ended: int = 0
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)


@contextmanager
def crawlers(url: str, count: int) -> Iterator[Crowd]:
    """Keep ``count`` slow connections to a server while the block runs."""
    crowd, loop = Crowd(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(_send(crowd, url, count), loop).result()
    try:
        yield crowd
    finally:
        asyncio.run_coroutine_threadsafe(_stop(crowd), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _send(crowd: Crowd, url: str, count: int) -> None:
    texts = (HEADER, BODY)
    crowd._tasks = [
        asyncio.create_task(_crawl_again(crowd, url, texts[number % 2])) for number in range(count)
    ]


async def _stop(crowd: Crowd) -> None:
    for task in crowd._tasks:
        task.cancel()
    await asyncio.gather(*crowd._tasks, return_exceptions=True)


async def _crawl_again(crowd: Crowd, url: str, text: str) -> None:
    while True:
        try:
            await _crawl(crowd, url, text)
        except OSError:
            crowd.ended += 1
        await asyncio.sleep(PAUSE_SECONDS)


async def _crawl(crowd: Crowd, url: str, text: str) -> None:
    """Send the beginning at once and then byte after byte, until the server has enough."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    crowd.inside += 1
    try:
        writer.write(text.format(host=parts.netloc).encode())
        while not await _hears_within(SECONDS_PER_BYTE, reader):
            writer.write(b"x")
            await writer.drain()
        crowd.ended += 1
    finally:
        crowd.inside -= 1
        writer.close()


async def _hears_within(seconds: float, reader: asyncio.StreamReader) -> bool:
    """Whether the server says anything, its end included."""
    try:
        await asyncio.wait_for(reader.read(1), seconds)
    except TimeoutError:
        return False
    return True

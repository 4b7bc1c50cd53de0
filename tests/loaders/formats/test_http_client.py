"""The pool of connections: as many as were asked for, kept between requests, closed at the end."""

import asyncio

import pytest

from personamem.loaders.formats.http_client import HttpClient

REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.system
def test_connections_are_limited_kept_and_closed() -> None:
    opened = at_once = most = closed = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened, at_once, most, closed
        opened += 1
        while await reader.readline():
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(2)
            at_once += 1
            most = max(most, at_once)
            await asyncio.sleep(0.01)
            at_once -= 1
            writer.write(REPLY)
        closed += 1
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        async with server:
            async with HttpClient(url, {}, timeout=20, connections=4) as client:
                for _ in range(2):
                    await asyncio.gather(*(client.post(b"{}", 100) for _ in range(10)))
                assert (opened, most, closed) == (4, 4, 0)
            await asyncio.sleep(0.05)
            assert (at_once, closed) == (0, 4)

    asyncio.run(run())

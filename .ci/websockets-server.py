"""A WebSocket server of PyPI's `websockets`, for the interop tests of `WebSockets`: websockets-server.py PORT-FILE [CERTIFICATE KEY]

With a certificate it serves TLS. It offers the subprotocol `echo`, compresses if the client offers it, and sends each message back. The text "close CODE"
makes it close the connection. The path /flood sends messages of 64 KiB without an end, for measurements.
"""

import asyncio
import os
import ssl
import sys

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed


async def handle(socket):
    if socket.request.path == "/flood":
        while True:
            await socket.send(bytes(65536))
    try:
        async for message in socket:
            if isinstance(message, str) and message.startswith("close "):
                await socket.close(int(message[6:]), "asked for")
            else:
                await socket.send(message)
    except ConnectionClosed:
        pass


def select(connection, offered):
    # By default the package refuses clients that offer none, such as those of the benchmark.
    return "echo" if "echo" in offered else None


async def main():
    tls = None
    if len(sys.argv) > 3:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(sys.argv[2], sys.argv[3])
    async with serve(handle, "127.0.0.1", 0, ssl=tls, select_subprotocol=select, max_size=2**25) as server:
        port = server.sockets[0].getsockname()[1]
        with open(sys.argv[1] + ".new", "w") as file:
            file.write(str(port))
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        await server.serve_forever()


asyncio.run(main())

"""The client of PyPI's `websockets`, with its C code, as the baseline of socket-echo:

websockets-client.py URL COUNT SIZE [IN-FLIGHT, default 1]
"""

import asyncio
import sys
import time

import websockets.speedups
from websockets.asyncio.client import connect


async def main():
    url, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    limit = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    message = "x" * size
    async with connect(url, compression=None, proxy=None) as socket:
        start = time.perf_counter()
        sent = received = 0
        while received < count:
            while sent < count and sent - received < limit:
                await socket.send(message)
                sent += 1
            if await socket.recv() != message:
                sys.exit("the server sent another message")
            received += 1
        duration = time.perf_counter() - start
        print(f"{count} messages of {size} bytes, {limit} in flight: {duration:.3f} s, {count / duration:.0f} per second")


asyncio.run(main())

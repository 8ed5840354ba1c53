"""A WebSocket client of PyPI's `autobahn` that checks an echo server: autobahn-client.py PORT [deflate]

It sends messages of many sizes, texts and bytes, whole and in fragments, with pings between them, and ends with status 1 unless all come back and
the server answers its close code.
"""

import asyncio
import sys

from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol
from autobahn.websocket.compress import PerMessageDeflateOffer, PerMessageDeflateResponse, PerMessageDeflateResponseAccept

PORT = int(sys.argv[1])
COMPRESSES = "deflate" in sys.argv[2:]
MESSAGES = [("a\u00e9\u20ac\U0001f600" * (size // 10)).encode() for size in [0, 10, 120, 130, 65_530, 70_000, 1 << 20]]


class Client(WebSocketClientProtocol):
    def onOpen(self):
        self.pongs = 0
        self.expected = []
        for message in MESSAGES:
            for is_binary in [False, True]:
                self.expected.append((message, is_binary))
                self.sendMessage(message, is_binary)
                # Fragments and compression exclude each other in this client's API.
                if not COMPRESSES and len(message) > 1:
                    self.expected.append((message, is_binary))
                    self.sendMessage(message, is_binary, fragmentSize=max(1, len(message) // 3))
            self.sendPing(b"ping")

    def onPong(self, payload):
        self.pongs += payload == b"ping"

    def onMessage(self, payload, is_binary):
        if (payload, is_binary) != self.expected.pop(0):
            self.factory.result.set_result("the server sent another message")
            return self.sendClose(1002)
        if not self.expected:
            self.sendClose(4321, "bye")

    def onClose(self, was_clean, code, reason):
        if self.factory.result.done():
            return
        if not was_clean or code != 4321 or self.pongs != len(MESSAGES):
            self.factory.result.set_result(f"closed with {code} {reason}, {self.pongs} pongs, {len(self.expected)} left")
        else:
            self.factory.result.set_result(None)


def accept(response):
    if isinstance(response, PerMessageDeflateResponse):
        return PerMessageDeflateResponseAccept(response)


async def main():
    factory = WebSocketClientFactory(f"ws://127.0.0.1:{PORT}/")
    factory.protocol = Client
    # A busy machine needs more than the second of the default.
    factory.setProtocolOptions(closeHandshakeTimeout=60)
    factory.result = asyncio.get_running_loop().create_future()
    if COMPRESSES:
        factory.setProtocolOptions(
            perMessageCompressionOffers=[PerMessageDeflateOffer()], perMessageCompressionAccept=accept)
    await asyncio.get_running_loop().create_connection(factory, "127.0.0.1", PORT)
    # The test ends a client that hangs.
    return await factory.result


sys.exit(asyncio.run(main()))

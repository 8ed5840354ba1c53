"""A WebSocket server of PyPI's `autobahn`, as websockets-server.py: autobahn-server.py PORT-FILE

It offers the subprotocol `echo`, compresses if the client offers it, and sends each message back. The text "close CODE" makes it close the connection.
"""

import asyncio
import os
import sys

from autobahn.asyncio.websocket import WebSocketServerFactory, WebSocketServerProtocol
from autobahn.websocket.compress import PerMessageDeflateOffer, PerMessageDeflateOfferAccept


class Echo(WebSocketServerProtocol):
    def onConnect(self, request):
        return "echo" if "echo" in request.protocols else None

    def onMessage(self, payload, isBinary):
        if not isBinary and payload.startswith(b"close "):
            self.sendClose(int(payload[6:]), "asked for")
        else:
            self.sendMessage(payload, isBinary)


def accept(offers):
    for offer in offers:
        if isinstance(offer, PerMessageDeflateOffer):
            return PerMessageDeflateOfferAccept(offer)


async def main():
    factory = WebSocketServerFactory(protocols=["echo"])
    factory.protocol = Echo
    factory.setProtocolOptions(
        perMessageCompressionAccept=accept, maxMessagePayloadSize=2**25, echoCloseCodeReason=True, closeHandshakeTimeout=60)
    server = await asyncio.get_running_loop().create_server(factory, "127.0.0.1", 0)
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(str(server.sockets[0].getsockname()[1]))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    await server.serve_forever()


asyncio.run(main())

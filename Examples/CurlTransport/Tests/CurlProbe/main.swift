// Sends GETs, one after the other, and prints their statuses or error codes: curl-probe URL...
//
// A program of its own, since a defect of libcurl ends the process.

import CurlTransport
import HTTPMessages
import Transport

let transport = try CurlTransport()
for url in CommandLine.arguments.dropFirst() {
    do {
        print(try await transport.send(HTTPRequest(.get, url)).status.code)
    } catch let error as TransportError {
        print(error.code)
    }
}
await transport.shutdown()

// A tour of the adapters, over a fake in place of the network.
import Foundation
import HTTPMessages
import HTTPTypes
import Logging
import Monitoring
import OpenAPIRuntime
import SwiftServer
import Tracing
import Transport

let fake = FakeTransport { request in
    HTTPMessages.HTTPResponse(status: .ok, body: Data("hello, \(request.method)".utf8), url: request.url)
}
let monitor = EventMonitor([.log(.headers, to: .logger(Logger(label: "http"))), .swiftMetrics])
let transport = fake.observingAttempts(by: monitor).spanning(by: NoOpTracer()).observing(by: monitor)
let client = PatchbayClientTransport(transport)
let (response, body) = try await client.send(
    HTTPTypes.HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/greetings"),
    body: OpenAPIRuntime.HTTPBody("hello"), baseURL: URL(string: "https://api.example.com/v1") ?? URL(filePath: "/"),
    operationID: "greet")
print(response.status.code, try await String(collecting: body ?? "", upTo: 100))
await monitor.flush()

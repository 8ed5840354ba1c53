import Foundation
import Patchbay
import PatchbayTestKit

/// A server of one file whose first response is cut after a gate has opened.
struct CuttingTransport: StreamingTransport {
    let content = Data("0123456789".utf8)
    let gate: Gate
    let requests = Watched<[HTTPRequest]>([])

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await stream(request, observer: observer).collect()
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        requests.update { $0.append(request) }
        let isRest = request.fields[.range] != nil
        var fields = try HTTPFields(["ETag": "\"1\"", "Content-Length": isRest ? "6" : "10"])
        if isRest { fields[.contentRange] = "bytes 4-9/10" }
        let status: HTTPStatus = isRest ? .partialContent : .ok
        var head = HTTPResponseHead(status: status, fields: fields, url: request.url)
        head.method = .get
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            Task {
                continuation.yield(isRest ? content.dropFirst(4) : content.prefix(4))
                try await gate.wait()
                guard !isRest else { return continuation.finish() }
                continuation.finish(throwing: TransportError(.truncated, "Cut.", request: request))
            }
        }
        return HTTPResponseStream(head: head, body: chunks)
    }
}

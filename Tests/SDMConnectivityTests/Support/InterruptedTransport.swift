import Foundation
import HTTPMessages
import PatchbayTestKit
import Transport

extension AsyncThrowingStream<Data, any Error> {
    /// A body whose connection is lost after a part.
    static func cut(after part: String, of request: HTTPMessages.HTTPRequest) -> Self {
        Self { continuation in
            if !part.isEmpty { continuation.yield(Data(part.utf8)) }
            continuation.finish(throwing: TransportError(.connectionLost, "Connection lost.", request: request))
        }
    }
}

/// A transport that loses the first connection after a part of the body; the second response is complete.
struct InterruptedTransport: StreamingTransport {
    let requests = Watched<[HTTPMessages.HTTPRequest]>([])
    private let responses: [(fields: [String: String], body: String)]

    /// - Parameters:
    ///   - fields: those of the first response.
    ///   - part: its body until the loss.
    init(
        _ fields: [String: String], _ part: String, then nextFields: [String: String], _ nextBody: String
    ) {
        responses = [(fields, part), (nextFields, nextBody)]
    }

    func send(
        _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponse {
        try await stream(request, observer: observer).collect()
    }

    func stream(
        _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let isFirst = requests.update { requests in
            requests.append(request)
            return requests.count == 1
        }
        let (fields, text) = responses[isFirst ? 0 : 1]
        let whole = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data(text.utf8))
            continuation.finish()
        }
        let head = HTTPResponseHead(
            status: .ok, fields: try HTTPFields(fields.map { ($0.key, $0.value) }), url: request.url)
        return HTTPResponseStream(head: head, body: isFirst ? .cut(after: text, of: request) : whole)
    }
}

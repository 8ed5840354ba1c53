import HTTPMessages
import Transport

/// A transport that streams and collects every response, to run the cases for whole responses on streams.
struct Streamed<Base: StreamingTransport>: Transport {
    let base: Base

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await base.stream(request, observer: observer)
        return try await response.collect(upTo: request.options.maximumResponseBytes)
    }
}

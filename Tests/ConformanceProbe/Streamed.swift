import HTTPMessages
import Transport

/// A transport whose every response was streamed, so that the cases for whole responses hold for streams too.
struct Streamed<Base: StreamingTransport>: Transport {
    let base: Base

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await base.stream(request, observer: observer)
        return try await response.collect(upTo: request.options.maximumResponseBytes)
    }
}

import HTTPMessages
import Transport

/// The transport below all layers: that of the client, or since the app has pinned certificates the one that checks
/// them.
struct ClientNetwork: StreamingTransport {
    let state: ClientState

    /// - Throws: ``WLError`` (`configuration`) if the pinned certificates cannot be checked.
    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await state.engine().send(request, observer: observer)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await state.engine().stream(request, observer: observer)
    }
}

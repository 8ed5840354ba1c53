import HTTPMessages
import Transport

/// A layer below the queue that counts running attempts, so that these get time to finish in the background.
struct Attempting<Base: Transport>: Transport {
    let base: Base
    let background: BackgroundController

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        background.handle(.attemptStarted)
        defer { background.handle(.attemptFinished) }
        return try await base.send(request, observer: observer)
    }
}

extension Attempting: StreamingTransport where Base: StreamingTransport {
    /// The attempt runs until the reader gets the end of the body or an error, or releases the response.
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        background.handle(.attemptStarted)
        do {
            return try await base.stream(request, observer: observer)
                .tracked { [background] _ in background.handle(.attemptFinished) }
        } catch {
            background.handle(.attemptFinished)
            throw error
        }
    }
}

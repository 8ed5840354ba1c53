@testable import WebSockets

/// The code of the error that a closure throws; nil without one.
func code(_ body: () async throws -> Void) async -> WebSocketError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? WebSocketError)?.code
    }
}

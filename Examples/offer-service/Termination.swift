import Dispatch
import Foundation

/// The signal that a container gets before it is killed.
enum Termination {
    /// Yields an element for each SIGTERM, which no longer ends the process.
    static func signals() -> AsyncStream<Void> {
        signal(SIGTERM, SIG_IGN)
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        // Cancelling a source is safe on any thread; its type does not say so.
        nonisolated(unsafe) let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        source.setEventHandler { continuation.yield() }
        continuation.onTermination = { _ in source.cancel() }
        source.resume()
        return signals
    }
}

package import Coordination
package import HTTPMessages

/// A response with a body in memory or a streamed one, so a layer handles both with the same code.
package protocol HTTPResponseProtocol: Sendable {
    var head: HTTPResponseHead { get set }

    /// Drops the body, and reads it first if it is short, so the connection can be reused.
    /// - Parameter deadline: the end of the wait for the rest of the body.
    func discard(until deadline: Duration, on clock: AnyMonotonicClock) async
}

extension HTTPResponse: HTTPResponseProtocol {
    package func discard(until deadline: Duration, on clock: AnyMonotonicClock) {}
}

extension HTTPResponseStream: HTTPResponseProtocol {
    /// The maximum body size to read: beyond it, a new connection is cheaper.
    private static var drainLimit: Int { 64 << 10 }

    package func discard(until deadline: Duration, on clock: AnyMonotonicClock) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await body.collect(upTo: Self.drainLimit) }
            group.addTask { try? await clock.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
    }
}

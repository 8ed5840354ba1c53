public import HTTPMessages
import Synchronization

/// Tells an engine that a layer holds a request body back, so that its timeouts do not count that time.
///
/// An engine asks ``takeHeld()`` before a send or response timeout ends a request that has one
/// (``HTTPMessages/RequestOptions/uploadHold``), and starts the timeout again if it is true.
public final class UploadHold: Sendable {
    private struct State {
        /// The number of layers that hold bytes back now.
        var count = 0
        var hasHeld = false
    }

    private let state = Mutex(State())

    init() {}

    /// Returns true if bytes are held back now, or were since the last call.
    public func takeHeld() -> Bool {
        state.withLock { state in
            defer { state.hasHeld = state.count > 0 }
            return state.hasHeld
        }
    }

    /// Notes that bytes are held back, until ``end()``.
    func begin() { state.withLock { $0 = State(count: $0.count + 1, hasHeld: true) } }
    func end() { state.withLock { $0.count -= 1 } }
}

extension UploadHold: Hashable {
    /// Compares identities.
    public static func == (left: UploadHold, right: UploadHold) -> Bool { left === right }
    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private enum UploadHoldKey: RequestOptionKey {
    static var defaultValue: UploadHold? { nil }
}

extension RequestOptions {
    /// Tells an engine when the layer ``BandwidthLimiting`` holds the body back; nil for a body that it does not limit.
    public internal(set) var uploadHold: UploadHold? {
        get { hasLayerOptions ? self[UploadHoldKey.self] : nil }
        set { self[UploadHoldKey.self] = newValue }
    }
}

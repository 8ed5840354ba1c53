/// Holds tasks back until a test opens it.
///
/// ```swift
/// let gate = Gate()
/// let transport = ScriptedTransport([.after(gate, .status(.ok))])
/// async let response = transport.send(request)
/// try await gate.waitForArrivals(1)  // the call is under way
/// gate.open()
/// ```
public final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var arrivals = 0
    }

    private let state: Watched<State>

    /// A gate, shut unless told otherwise.
    public init(isOpen: Bool = false) { state = Watched(State(isOpen: isOpen)) }

    /// True when nobody is held back.
    public var isOpen: Bool { state.value.isOpen }

    /// How many calls of ``wait()`` there were so far.
    public var arrivals: Int { state.value.arrivals }

    /// Lets everybody through who waits, in the order in which they came, and everybody who comes later.
    public func open() { state.update { $0.isOpen = true } }

    /// Holds back those who come from now on.
    public func shut() { state.update { $0.isOpen = false } }

    /// Returns when the gate is open.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public func wait() async throws {
        state.update { $0.arrivals += 1 }
        try await state.wait { $0.isOpen }
    }

    /// Returns when ``wait()`` has been called so many times.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public func waitForArrivals(_ count: Int) async throws {
        try await state.wait { $0.arrivals >= count }
    }
}

/// A gate that suspends tasks until a test opens it.
///
/// ```swift
/// let gate = Gate()
/// let transport = ScriptedTransport([.after(gate, .status(.ok))])
/// async let response = transport.send(request)
/// try await gate.waitForWaiters(1)  // the request is in flight
/// gate.open()
/// ```
public final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var waitCount = 0
    }

    private let state: Watched<State>

    /// Creates a gate, closed by default.
    public init(isOpen: Bool = false) { state = Watched(State(isOpen: isOpen)) }

    /// True when ``wait()`` returns at once.
    public var isOpen: Bool { state.value.isOpen }

    /// Calls of ``wait()`` so far, finished ones included.
    public var waitCount: Int { state.value.waitCount }

    /// Opens the gate and resumes all waiting tasks, in the order of their calls of ``wait()``.
    public func open() { state.update { $0.isOpen = true } }

    /// Closes the gate for later calls of ``wait()``.
    public func close() { state.update { $0.isOpen = false } }

    /// Suspends until the gate is open.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func wait() async throws {
        state.update { $0.waitCount += 1 }
        try await state.wait { $0.isOpen }
    }

    /// Suspends until ``waitCount`` is at least `count`.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func waitForWaiters(_ count: Int) async throws {
        try await state.wait { $0.waitCount >= count }
    }
}

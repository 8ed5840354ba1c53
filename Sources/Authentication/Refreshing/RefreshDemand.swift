import Synchronization

/// The calls that wait for a refresh, as the refresh sees them: it asks the app's user only for them.
package final class RefreshDemand: Sendable {
    /// The error of a refresh that has ended its question to the user, because no call waits for it.
    ///
    /// It fails no call: for calls that have joined since, the refresh starts again.
    package struct Abandoned: Error {}

    private struct State {
        /// Ends the question.
        var stop: (@Sendable () -> Void)?
        var isStopped = false
    }

    private let hasWaiters: @Sendable () -> Bool
    private let state = Mutex(State())

    init(hasWaiters: @escaping @Sendable () -> Bool) { self.hasWaiters = hasWaiters }

    /// Asks the user, and waits for the input as long as calls wait for the refresh.
    /// - Parameters:
    ///   - stop: ends `question` early; called at most once, on any thread, also before `question` has begun to wait.
    ///   - question: is not called if no call waits.
    /// - Throws: ``Abandoned`` if no call waits, or when the last one is cancelled.
    package func ask<Input>(
        stop: @escaping @Sendable () -> Void, _ question: () async throws -> Input
    ) async throws -> Input {
        state.withLock { $0 = State(stop: stop) }
        defer { state.withLock { $0.stop = nil } }
        // After `stop` is stored, so that a call that is cancelled now is noticed.
        guard hasWaiters() else { throw Abandoned() }
        let input = try await question()
        guard !state.withLock(\.isStopped) else { throw Abandoned() }
        return input
    }

    /// Ends the question, if no call waits for the refresh.
    func stopUnlessAwaited() {
        guard !hasWaiters() else { return }
        let stop = state.withLock { state in
            guard let stop = state.stop.take() else { return nil as (@Sendable () -> Void)? }
            state.isStopped = true
            return stop
        }
        stop?()
    }
}

import Coordination
import StoreCore

/// Values that are read from an outbox again after each change.
///
/// The sequence begins with the values of now. It ends when the reading task is cancelled, and after the outbox was
/// closed. A slow reader gets the latest values, not those between.
public struct OutboxUpdates<Element: Sendable>: AsyncSequence, Sendable {
    let signals: ChangeSignals
    /// Measures how long a read takes: for ten times as long the next one waits, so that reading a status of many
    /// entries does not slow down what sends them.
    let clock: AnyMonotonicClock
    /// Makes the read of one reader: the values since its last read; throws to wait for the next change.
    let makeRead: @Sendable () -> @Sendable () async throws -> Values

    struct Values: Sendable {
        var values: [Element]
        /// True if there may be more now, without a change.
        var hasMore = false
        /// Called before each value is delivered; false if the values of this read are out of date.
        var deliver: @Sendable (Element) -> Bool = { _ in true }
    }

    /// Creates an iterator, which is notified of all changes from now on.
    public func makeAsyncIterator() -> Iterator {
        Iterator(updates: self, signals: signals.stream().makeAsyncIterator())
    }

    /// An iterator over the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let updates: OutboxUpdates
        private let read: @Sendable () async throws -> Values
        fileprivate var signals: AsyncStream<Void>.AsyncIterator
        private var buffer: ArraySlice<Element> = []
        private var hasMore = false
        private var deliver: @Sendable (Element) -> Bool = { _ in true }
        private var pause = Duration.zero

        fileprivate init(updates: OutboxUpdates, signals: AsyncStream<Void>.AsyncIterator) {
            (self.updates, self.signals, read) = (updates, signals, updates.makeRead())
        }

        /// Waits for the next value; nil once the task is cancelled or the outbox closed.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            while true {
                guard !Task.isCancelled else { return nil }
                if let value = buffer.popFirst() {
                    if deliver(value) { return value }
                    (buffer, hasMore) = ([], true)
                }
                if !hasMore {
                    guard await signals.next(isolation: actor) != nil else { return nil }
                }
                guard !Task.isCancelled else { return nil }
                if pause > .zero {
                    try? await updates.clock.sleep(until: updates.clock.now + pause)
                    guard !Task.isCancelled else { return nil }
                }
                let start = updates.clock.now
                do {
                    let found = try await read()
                    (buffer, hasMore, deliver) = (found.values[...], found.hasMore, found.deliver)
                    pause = (updates.clock.now - start) * 10
                } catch {
                    // Not the end: the status names an error that lasts. After the end no change follows.
                    hasMore = !updates.signals.isFinished && (error as? StoreError)?.code != .closed
                    pause = .seconds(1)
                }
            }
        }

        /// Waits for the next value; nil once the task is cancelled or the outbox closed.
        public mutating func next() async -> Element? { await next(isolation: #isolation) }
    }
}

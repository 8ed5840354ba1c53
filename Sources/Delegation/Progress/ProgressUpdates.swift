import Synchronization
public import Transport

/// The progress of a call, as an asynchronous sequence that ends with the call.
///
/// ```swift
/// for await progress in feed.updates { bar.value = progress.fraction ?? 0 }
/// ```
/// A slow reader gets the newest value of each direction. A sequence is for one reader; read
/// ``ProgressFeed/updates`` again for another one.
public struct ProgressUpdates: AsyncSequence, Sendable {
    private let reader: ProgressReader
    private let signals: AsyncStream<Void>

    /// Creates a sequence, and connects its reader to a source.
    init(_ connect: (ProgressReader) -> Void) {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        reader = ProgressReader(continuation)
        self.signals = signals
        connect(reader)
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, signals: signals.makeAsyncIterator())
    }

    /// An iterator over the progress of a call.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: ProgressReader
        fileprivate var signals: AsyncStream<Void>.Iterator

        /// Returns the next value; nil after the call, or if the reading task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> TransferProgress? {
            while true {
                if let progress = reader.next() { return progress }
                // A signal may be left of a value that was read already.
                if await signals.next(isolation: actor) == nil { return reader.next() }
            }
        }

        /// Returns the next value; nil after the call, or if the reading task is cancelled.
        public mutating func next() async -> TransferProgress? { await next(isolation: #isolation) }
    }
}

/// The values that one reader has not read yet.
final class ProgressReader: Sendable {
    private let pending = Mutex(NewestProgress())
    // Wakes the reader up. It must not own the stream, whose release tells that nothing reads it any more.
    private let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    /// Sets the first values, before the first `add`.
    func start(with newest: NewestProgress) { pending.withLock { $0 = newest } }

    func add(_ progress: TransferProgress) {
        pending.withLock { $0.add(progress) }
        continuation.yield()
    }

    func next() -> TransferProgress? { pending.withLock { $0.next() } }

    func finish() { continuation.finish() }

    /// Sets a handler that is called once, when the stream finishes, or is released or cancelled before.
    func onEnd(_ handler: @escaping @Sendable () -> Void) { continuation.onTermination = { _ in handler() } }
}

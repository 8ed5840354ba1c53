/// Progress of a load into a database.
public struct HyperHiveProgress: Hashable, Sendable {
    /// Bytes of the response's body read so far.
    public var bytes: Int64
    /// Rows and deletions read for the database so far; they are visible when the call returns.
    public var rows: Int

    /// Creates a value.
    public init(bytes: Int64 = 0, rows: Int = 0) {
        self.bytes = bytes
        self.rows = rows
    }
}

/// Progress of one load, as an asynchronous sequence.
///
/// ```swift
/// let progress = HyperHiveProgressFeed()
/// async let sync = hive.syncDelta("FRUITS", into: "fruits.sqlite", progress: progress)
/// for await value in progress.updates { print(value.rows) }
/// print(try await sync.version)
/// ```
/// The sequence has one reader. A slow reader gets the newest value; after the call the sequence ends.
public final class HyperHiveProgressFeed: Sendable {
    /// The newest progress.
    public let updates: AsyncStream<HyperHiveProgress>
    private let continuation: AsyncStream<HyperHiveProgress>.Continuation

    /// Creates a feed for one call.
    public init() {
        (updates, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    /// Passes a value to the reader.
    func report(_ progress: HyperHiveProgress) { continuation.yield(progress) }

    /// Ends the sequence, after its last value.
    func finish() { continuation.finish() }
}

public import Foundation
public import HTTPMessages
public import Queueing

/// The rules of an outbox.
public struct OutboxOptions: Sendable {
    /// What a failed entry holds back until it is retried, edited or discarded.
    @nonexhaustive public enum Blocking: Hashable, Sendable {
        /// The entries of its key.
        case key
        /// All entries of its user, and those of no user.
        case everything
    }
    /// Where the bodies are that are not stored in the store itself.
    @nonexhaustive public enum Files: Hashable, Sendable {
        /// Where the app has them; it must keep them until the entry is gone.
        case referenced
        /// In a folder that belongs to the outbox, which copies them there and deletes them. It must exist, and be used
        /// for nothing else.
        ///
        /// It also gets the other bodies that are not in memory, such as a form with files, and those that are longer
        /// than ``OutboxOptions/maximumBodyBytes``.
        case copied(to: URL)

        /// The folder of the copies; nil without copies.
        var folder: URL? { if case .copied(let folder) = self { folder } else { nil } }
    }

    /// Entries sent at a time; default 4. Of a long backlog 32 more are claimed, and count as being sent.
    public var maximumConcurrent = 4
    /// Decides about each response and each failed attempt; default ``OutboxVerdict/standard(for:)``. Called on any
    /// thread.
    public var verdict: @Sendable (OutboxAttempt) -> OutboxVerdict = { .standard(for: $0) }
    /// The wait before another attempt, for the verdict ``OutboxVerdict/again(after:)`` without a time, and for an
    /// origin that did not respond; default up to 1 second, doubling up to 5 minutes, and `Retry-After` up to an hour.
    public var backoff: any Backoff = .retryAfter(
        cap: .seconds(3600), minimum: .exponential(base: .seconds(1), cap: .seconds(300)))
    /// Decides what a request does to the last entry of its key, if that waits and was never sent; default
    /// ``OutboxCollapse/keepBoth``. Called within ``Outbox/add(_:key:as:expiresAfter:)``.
    public var collapsing: (@Sendable (_ entry: OutboxEntry, _ request: HTTPRequest) -> OutboxCollapse)?
    /// What happens to an edit of a row that the server has another version of (412, 409); default nil: it fails.
    public var conflicts: OutboxConflicts?
    /// What a failed entry holds back; default its key.
    public var failureBlocks = Blocking.key
    /// Where the bodies are that are not stored in the store itself; default referenced.
    public var files = Files.referenced
    /// The longest body that is stored in the store itself, in bytes; default 8 MiB. Files, and copied bodies, are
    /// not limited.
    public var maximumBodyBytes = 8 << 20
    /// Whether responses are kept for ``Outbox/responses`` until they are acknowledged; default true.
    public var keepsResponses = true
    /// The longest body of a response, in bytes; default 1 MiB. Of a longer one the first 1 KiB is kept.
    ///
    /// A layer of the app that changes the URL of a request does so by `modifyingRequests`. By another one a too long
    /// response counts as that to another request, and so as a failure, if the path or the origin has changed.
    public var maximumResponseBytes = 1 << 20
    /// How long an unacknowledged response is kept; default 30 days.
    public var responseLifetime = Duration.seconds(30 * 86_400)
    /// The names of secrets, which are not stored; see ``Outbox``.
    public var redaction = Redaction.standard
    /// How long a sender that gives no sign of life keeps the right to send; default 10 seconds.
    public var leaseDuration = Duration.seconds(10)
    /// True to send nothing until ``Outbox/resume(_:)``; default false.
    public var startsPaused = false

    /// The default rules.
    public init() {}

    /// The default rules with changes.
    public init(_ change: (inout OutboxOptions) -> Void) {
        self.init()
        change(&self)
    }
}

extension OutboxOptions {
    /// The folder that gets a copy of a body; nil if it gets none.
    func folder(toCopy body: HTTPBody) -> URL? {
        switch body.source {
        case .empty: nil
        case .bytes(let bytes): bytes.count > maximumBodyBytes ? files.folder : nil
        default: body.isReplayable ? files.folder : nil
        }
    }
}

public import Queueing
public import StoreCore

/// The numbers of entries of an outbox, and why it does not send.
public struct OutboxStatus: Hashable, Sendable {
    /// Entries that wait: those of the current user and of no user.
    public var waiting: Int
    /// Entries that are being sent.
    public var sending: Int
    /// Entries that have failed and hold back others.
    public var failed: Int
    /// The reasons why no entry is sent now, such as `PauseReason.offline`; empty if none.
    public var pauseReasons: Set<PauseReason>
    /// The error of the store that stops the outbox, such as a full disk; it tries again. Nil without one.
    public var storeError: StoreError?
}

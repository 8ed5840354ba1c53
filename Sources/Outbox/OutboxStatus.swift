public import Queueing
public import StoreCore

/// The numbers of entries of an outbox, and why it does not send.
public struct OutboxStatus: Hashable, Sendable {
    /// Entries that wait: those of the current user and of no user.
    public var waiting: Int
    /// Those of ``waiting`` that a failed entry holds back, until it is retried, edited, resolved or discarded.
    public var held: Int
    /// Entries that are being sent.
    public var sending: Int
    /// Entries that have failed and hold back others.
    public var failed: Int
    /// The reasons why no entry is sent now, such as `PauseReason.offline`; empty if none.
    public var pauseReasons: Set<PauseReason>
    /// The error of the store that stops the outbox, such as a full disk; it tries again. Nil without one.
    public var storeError: StoreError?

    /// True if nothing is left to be sent: each entry has failed, or is held back by a failed one.
    public var isSettled: Bool { sending == 0 && waiting == held }
}

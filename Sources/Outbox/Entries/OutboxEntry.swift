public import Foundation
import HTTPMessages
public import Queueing

/// A stored request: what the app sees of it. Its body is read only when it is sent or edited.
public struct OutboxEntry: Hashable, Sendable, Identifiable {
    /// The identity of an entry in its store, also after a relaunch.
    public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The position: entries of one key are sent in its order.
        let number: Int64
        /// The `Idempotency-Key` of the request as it was added: a number may be used again once its entry is gone.
        public let idempotencyKey: String
        /// The `Idempotency-Key`.
        public var description: String { idempotencyKey }

        /// The key to send after a number of resolved conflicts; within the quotes of a quoted one.
        func sentKey(_ resolutions: Int64) -> String {
            guard resolutions > 0 else { return idempotencyKey }
            return idempotencyKey.hasSuffix("\"")
                ? "\(idempotencyKey.dropLast()).\(resolutions)\"" : "\(idempotencyKey).\(resolutions)"
        }
    }

    /// What an entry does.
    @nonexhaustive public enum State: Hashable, Sendable {
        /// It waits: for its turn, an earlier entry of its key, the network, the next attempt, or its user.
        case waiting
        /// It is being sent.
        case sending
        /// It has failed, and holds back its key until it is retried, edited or discarded.
        case failed
    }

    /// The identity.
    public let id: ID
    /// What it does.
    public let state: State
    /// The entries with this key are sent in the order in which they were added; nil for one of its own.
    public let key: String?
    /// The name that the app gave, such as "save order".
    public let name: String
    /// The user whose entry it is; nil for an entry of no user.
    public let user: String?
    /// The method of the request.
    public let method: String
    /// The URL of the request.
    public let url: String
    /// Among entries that are ready, a higher priority is sent first.
    public let priority: RequestPriority
    /// The wall clock time when it was added.
    public let created: Date
    /// The wall clock time after which it is not sent any more; nil for never.
    public let expires: Date?
    /// The number of attempts so far.
    public let attempts: Int
    /// True if the server may have processed the request in an attempt without a response.
    public let isOutcomeUnknown: Bool
    /// True while a 409 may be about that attempt, which is still in progress.
    let mayBeInProgress: Bool
    let resolutions: Int64
    /// Why the last attempt failed; nil before and without one.
    public let failure: OutboxFailure?

    /// The `Idempotency-Key` that is sent with each attempt: that of ``id``, with a number after a resolved conflict.
    public var idempotencyKey: String { id.sentKey(resolutions) }
}

extension OutboxEntry: CustomStringConvertible, CustomReflectable {
    /// The name, the redacted request and the failure.
    public var description: String {
        let target = URL(string: url).map { Redaction.standard.redacted($0) } ?? Redaction.placeholder
        return "\(name): \(method) \(target), \(state)\(failure.map { ", \($0)" } ?? "")"
    }
    /// Same content as the description.
    public var customMirror: Mirror { Mirror(self, children: ["entry": description]) }
}

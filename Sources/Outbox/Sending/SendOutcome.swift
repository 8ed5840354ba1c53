import HTTPMessages

/// How the sending of one entry has ended.
struct SendOutcome: Sendable {
    /// The result of an attempt, or the reason why there was none.
    enum Result: Sendable {
        /// The verdict of the app about a response.
        case response(HTTPResponse, OutboxVerdict, isTruncated: Bool)
        /// The verdict of the app about an error.
        /// - `isUnsent`: true if no server can have processed the request.
        case error(OutboxFailure, OutboxVerdict, isUnsent: Bool)
        /// The server has refused an edit, and the app has decided.
        case resolved(ResolvedConflict, HTTPResponse)
        /// It was cancelled while it was sent: by a sign-out, or at the end of the outbox.
        case interrupted
        /// It was not sent at all.
        case unsent
    }

    let id: OutboxEntry.ID
    let result: Result
    /// The wait before the next attempt, for the verdict `again`.
    let wait: Duration
    /// True if a layer below has made an attempt without a response before the one that has ended.
    var hasLostAttempt = false
}

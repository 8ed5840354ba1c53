public import Foundation
public import HTTPMessages
import PatchbayErrors

/// A call that a monitor observes: what all its events have in common.
public final class ObservedCall: Sendable {
    /// The identity of the call; several have the same if they are parts of one, such as of a download.
    public let id: CallID
    /// The request, as the layer that observes calls got it, with the identity as its option.
    public let request: HTTPRequest
    /// The wall clock time of the start.
    public let date: Date
    /// The last sign-out before the first part of the call was observed, see `SignOutClock`.
    let lastSignOut: Int

    /// Creates a call, such as for the test of a sink.
    public init(id: CallID, request: HTTPRequest, date: Date) {
        self.id = id
        self.request = request
        self.date = date
        lastSignOut = SignOutClock.now
    }

    init(id: CallID, request: HTTPRequest, date: Date, lastSignOut: Int) {
        self.id = id
        self.request = request
        self.date = date
        self.lastSignOut = lastSignOut
    }
}

extension ObservedCall: RedactedStringConvertible {
    /// The ID, the method and the redacted URL.
    public var description: String { "\(id) \(request)" }
}

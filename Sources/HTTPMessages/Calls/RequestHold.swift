import Synchronization

/// What a request holds of an object that layers share: the slot of a queue, or the token of a rate limiter.
///
/// A second layer of the same object passes the request on. The layer that has obtained the hold ends it: a request
/// that is sent later, such as one that an observer has kept, holds nothing.
package final class RequestHold: Sendable {
    /// The origin of the request.
    package let origin: Origin
    private let owner: ObjectIdentifier
    /// What the request held before.
    private let outer: RequestHold?
    private let isValid = Atomic(true)

    fileprivate init(_ owner: ObjectIdentifier, _ origin: Origin, outer: RequestHold?) {
        (self.owner, self.origin, self.outer) = (owner, origin, outer)
    }

    /// Ends it.
    /// - Returns: false if it has ended before.
    @discardableResult
    package func end() -> Bool { isValid.exchange(false, ordering: .acquiringAndReleasing) }

    /// The innermost hold of an object, unless it has ended.
    fileprivate func hold(of owner: ObjectIdentifier) -> RequestHold? {
        guard self.owner == owner else { return outer?.hold(of: owner) }
        return isValid.load(ordering: .acquiring) ? self : nil
    }
}

extension HTTPRequest {
    /// What the request holds of an object; nil if it holds nothing of it.
    package func hold(of owner: AnyObject) -> RequestHold? {
        options.reference.hold?.hold(of: ObjectIdentifier(owner))
    }

    /// Notes that the request holds something of an object.
    /// - Returns: the hold, which the layer has to end.
    package mutating func addHold(of owner: AnyObject) -> RequestHold {
        let hold = RequestHold(ObjectIdentifier(owner), origin, outer: options.reference.hold)
        options.reference.hold = hold
        return hold
    }

    /// Makes the request one that holds nothing, since its call does not wait for it.
    package mutating func dropHolds() { options.reference.hold = nil }
}

import Synchronization

/// A call from its start: what all of its requests have in common.
///
/// The outermost layer that needs it begins the call. It stays the same for attempts, redirects and the parts of a
/// transfer. It knows
///
/// - the last sign-out at its start: a layer that adds credentials refuses a call from before the last sign-out of its
///   users, since their credential would be that of another one;
/// - its identity in logs, and the number of its observed attempts;
/// - the layers that may still send requests for it. A queue that drains waits until there are none, and lets in the
///   further requests of each call that it has let in.
///
/// ```
/// begun -open->   open     a layer that may send further requests
/// open  -open->   open     another layer inside
/// open  -enter->  open     each queue counts the call once
/// open  -close->  open     one of several layers
/// open  -close->  begun    the last layer; the queues are told
/// begun -enter->  begun    a request without a layer that may send further ones
/// ```
package final class OpenCall: Sendable {
    /// What counts open calls.
    package protocol Counter: AnyObject, Sendable {
        /// A call that has entered is no longer open.
        func callEnded()
    }

    /// What a request is to a counter.
    package enum Entry {
        /// The first request of the call there.
        case first
        /// A further request of a call that is counted.
        case further
        /// A request of a call that sends no further ones.
        case none
    }

    /// The number of the last sign-out of the process when the call began; nil of one that has not begun.
    package let lastSignOut: Int?
    /// The bits of ``id``; 0 until it is asked for.
    private let idBits: Atomic<UInt64>
    private let attempts = Atomic(0)
    /// The last sign-out when a request was first observed; -1 before.
    private let observedSignOut = Atomic(-1)
    private let repeats = Atomic(false)
    /// Twice the number of layers that may send further requests, and 1 if there are counters.
    private let uses = Atomic(0)
    private let counters = Mutex<[any Counter]>([])

    /// - Parameters:
    ///   - id: nil makes one when it is asked for.
    ///   - lastSignOut: nil for a call that has an identity, but has not begun.
    package init(id: CallID? = nil, lastSignOut: Int?) {
        self.lastSignOut = lastSignOut
        idBits = Atomic(id?.rawValue ?? 0)
    }

    /// The identity of the call.
    package var id: CallID {
        let known = idBits.load(ordering: .relaxed)
        guard known == 0 else { return CallID(rawValue: known) }
        let new = CallID.next()
        let (isMine, first) = idBits.compareExchange(expected: 0, desired: new.rawValue, ordering: .relaxed)
        return isMine ? new : CallID(rawValue: first)
    }

    /// The number of attempts that were observed, of the requests that have ended.
    package var observedAttempts: Int { attempts.load(ordering: .relaxed) }

    /// Notes the number of attempts so far.
    package func noteAttempts(_ count: Int) { attempts.max(count, ordering: .relaxed) }

    /// Notes that a request of the call is observed.
    /// - Returns: the number of the last sign-out when its first one was, also for later parts of the call.
    package func noteObserved() -> Int {
        let now = SignOutClock.now
        let (isFirst, first) = observedSignOut.compareExchange(expected: -1, desired: now, ordering: .relaxed)
        return isFirst ? now : first
    }

    /// True once a further request was made, after which it is not known what the server has done: not for a challenge.
    package var hasFurtherRequests: Bool { repeats.load(ordering: .relaxed) }

    fileprivate func noteFurtherRequest() { repeats.store(true, ordering: .relaxed) }

    /// Marks the call as one for which a layer may send further requests, until ``close()``.
    package func open() { uses.add(2, ordering: .relaxed) }

    /// Ends ``open()``: the layer sends no further request.
    package func close() {
        // Almost always there is no queue, and nothing to lock.
        guard uses.subtract(2, ordering: .acquiringAndReleasing).newValue == 1 else { return }
        let ended = counters.withLock { counters -> [any Counter] in
            // Another layer may have opened it meanwhile.
            guard uses.load(ordering: .acquiring) == 1 else { return [] }
            defer { counters = [] }
            uses.subtract(1, ordering: .relaxed)
            return counters
        }
        for counter in ended { counter.callEnded() }
    }

    /// Notes a request of the call. Its first one is counted, as long as the call is open.
    package func enter(_ counter: some Counter) -> Entry {
        guard uses.load(ordering: .acquiring) > 1 else { return .none }
        return counters.withLock { counters in
            if counters.contains(where: { $0 === counter }) { return .further }
            // Under the lock, which ``close()`` takes once it sees the mark.
            if counters.isEmpty, uses.add(1, ordering: .acquiringAndReleasing).oldValue < 2 {
                uses.subtract(1, ordering: .relaxed)
                return .none
            }
            counters.append(counter)
            return .first
        }
    }

    /// Takes back ``enter(_:)``: the counter has refused the request.
    package func leave(_ counter: some Counter) {
        counters.withLock { counters in
            guard !counters.isEmpty else { return }
            counters.removeAll { $0 === counter }
            if counters.isEmpty { uses.subtract(1, ordering: .acquiringAndReleasing) }
        }
    }
}

/// The call of a request. All are equal: requests do not differ by their calls.
struct CallReference: Hashable, Sendable {
    var call: OpenCall?

    static func == (_: CallReference, _: CallReference) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension RequestOptions {
    /// The call that the request belongs to; nil before a layer has begun it.
    package var call: OpenCall? {
        get { reference.call.flatMap { $0.lastSignOut == nil ? nil : $0 } }
        set { reference.call = newValue }
    }

    /// The identity of the call that the request belongs to; nil before a layer has begun the call.
    ///
    /// All requests of a call have the same: attempts, redirects, and the parts of a download or an upload. An app that
    /// sets it, before the call, takes another one for each call. Options that differ only by it are equal.
    public var callID: CallID? {
        get { reference.call?.id }
        set {
            let lastSignOut = call?.lastSignOut
            reference.call =
                newValue == nil && lastSignOut == nil ? nil : OpenCall(id: newValue, lastSignOut: lastSignOut)
        }
    }

    /// Marks the request as a further one of its call: a retry, a redirect, or one to another host.
    package mutating func setFurtherRequest(_ reason: AttemptReason) {
        attemptReason = reason
        reference.call?.noteFurtherRequest()
    }

    /// Begins the call of the request, unless a layer outside has done so.
    /// - Parameter lastSignOut: the last sign-out at the start; nil is that of now.
    @discardableResult
    package mutating func beginCall(after lastSignOut: Int? = nil) -> OpenCall {
        if let call { return call }
        // The app may have set an identity.
        let call = OpenCall(id: reference.call?.id, lastSignOut: lastSignOut ?? SignOutClock.now)
        reference.call = call
        return call
    }

    /// Begins the call of the request, and marks it as one that may send further requests.
    /// - Returns: the call, which the layer has to close.
    package mutating func openCall() -> OpenCall {
        let call = beginCall()
        call.open()
        return call
    }
}

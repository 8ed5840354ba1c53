import Synchronization

/// A call while a layer may still send further requests for it: attempts, and the rest of an interrupted transfer.
///
/// The outermost such layer opens the call and ends it. A queue that drains waits for the end of each call that it has
/// let in, and lets in the further requests of these calls.
///
/// ```
/// open  -enter->  open     each queue counts the call once
/// open  -end->    ended    the queues are told
/// ended -enter->  ended    a request that is left over counts as one without a call
/// ```
package final class OpenCall: Sendable {
    /// What counts open calls.
    package protocol Counter: AnyObject, Sendable {
        /// A call that has entered has ended.
        func callEnded()
    }

    /// What a request is to a counter.
    package enum Entry {
        /// The first request of the call there.
        case first
        /// A further request of a call that is counted.
        case further
        /// A request of a call that has ended.
        case none
    }

    private struct State {
        var counters: [any Counter] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Notes a request of the call. Its first one is counted, until the end of the call.
    package func enter(_ counter: some Counter) -> Entry {
        state.withLock { state in
            if state.hasEnded { return .none }
            if state.counters.contains(where: { $0 === counter }) { return .further }
            state.counters.append(counter)
            return .first
        }
    }

    /// Takes back ``enter(_:)``: the counter has refused the request.
    package func leave(_ counter: some Counter) {
        state.withLock { $0.counters.removeAll { $0 === counter } }
    }

    /// Ends the call; no layer sends a further request for it. Idempotent.
    package func end() {
        let counters = state.withLock { state in
            defer { state = State(hasEnded: true) }
            return state.counters
        }
        for counter in counters { counter.callEnded() }
    }
}

extension OpenCall: Hashable {
    /// True: requests do not differ by their calls.
    package static func == (left: OpenCall, right: OpenCall) -> Bool { true }
    /// Adds nothing.
    package func hash(into hasher: inout Hasher) {}
}

extension RequestOptions {
    /// Marks the request as one of a call that may send further ones, unless a layer outside has done so.
    /// - Returns: the call, which the layer has to end; nil within another layer's.
    package mutating func openCall() -> OpenCall? {
        guard call == nil else { return nil }
        let new = OpenCall()
        call = new
        return new
    }

    /// The options without what each call has of its own, for comparisons.
    package var withoutCall: RequestOptions {
        var options = self
        (options.callID, options.call) = (nil, nil)
        return options
    }
}

import Coordination

/// The calls that wait until nothing is in flight: sign-outs, sign-ins and the end of the outbox.
///
/// A layer of the transport, or a closure of the app, may make such a call within the attempt of an entry. It does not
/// wait for that entry, which ends only after it, nor for others whose attempts make such calls.
struct QuietWaiters: Sendable {
    /// The entry within whose attempt a call is made; nil for another call.
    ///
    /// A task that the attempt creates has it too. A detached one must not be awaited within the attempt.
    @TaskLocal static var attempt: OutboxEntry.ID?

    private struct Waiter: Sendable {
        /// The user of the entries; nil for all entries.
        let user: String?
        let attempt: OutboxEntry.ID?
        let promise = Promise<Void>()
    }

    private var waiters: [Waiter] = []
    /// The attempts in flight that have made such a call.
    private var attempts: Set<OutboxEntry.ID> = []

    /// Adds a call.
    /// - Returns: fulfilled by the caller once ``takeQuiet(_:)`` returns it.
    mutating func add(_ user: String?, by attempt: OutboxEntry.ID?) -> Promise<Void> {
        if let attempt { attempts.insert(attempt) }
        let waiter = Waiter(user: user, attempt: attempt)
        waiters.append(waiter)
        return waiter.promise
    }

    /// Those of the entries in flight, with their users, that a call waits for.
    func awaited(of inFlight: [OutboxEntry.ID: String], by attempt: OutboxEntry.ID?) -> [OutboxEntry.ID: String] {
        // The task of an attempt that has ended may still run.
        guard let attempt, inFlight[attempt] != nil else { return inFlight }
        return inFlight.filter { $0.key != attempt && !attempts.contains($0.key) }
    }

    /// Removes the calls that wait for none of the entries in flight.
    mutating func takeQuiet(_ inFlight: [OutboxEntry.ID: String]) -> [Promise<Void>] {
        attempts.formIntersection(inFlight.keys)
        let isBusy = waiters.map { waiter in
            awaited(of: inFlight, by: waiter.attempt).contains { waiter.user == nil || $0.value == waiter.user }
        }
        let quiet = zip(waiters, isBusy).filter { !$0.1 }.map(\.0.promise)
        waiters = zip(waiters, isBusy).filter(\.1).map(\.0)
        return quiet
    }
}

import Coordination

/// The calls that wait until nothing is in flight: sign-outs, sign-ins and the end of the outbox.
///
/// A layer of the transport, or a closure of the app, may make such a call within the attempt of an entry. It does not
/// wait for that entry, which ends only after it, nor for others whose attempts make such calls.
struct QuietWaiters: Sendable {
    /// One attempt to send an entry: a later one of the same entry is another one.
    final class Attempt: Sendable {
        fileprivate let entry: OutboxEntry.ID

        fileprivate init(_ entry: OutboxEntry.ID) { self.entry = entry }
    }

    /// The attempt within which a call is made; nil for another call.
    ///
    /// A task that the attempt creates has it too. A detached one must not be awaited within the attempt.
    @TaskLocal static var attempt: Attempt?

    private struct Waiter: Sendable {
        /// The user of the entries; nil for all entries.
        let user: String?
        let attempt: Attempt?
        let promise = Promise<Void>()
    }

    private var waiters: [Waiter] = []
    /// The attempts of the entries in flight.
    private var running: [OutboxEntry.ID: Attempt] = [:]
    /// Those entries whose attempts have made such a call.
    private var callers: Set<OutboxEntry.ID> = []

    /// Begins an attempt of an entry that is in flight from now on.
    mutating func begin(_ entry: OutboxEntry.ID) -> Attempt {
        let attempt = Attempt(entry)
        running[entry] = attempt
        return attempt
    }

    /// Ends the attempt of an entry.
    mutating func end(_ entry: OutboxEntry.ID) {
        running[entry] = nil
        callers.remove(entry)
    }

    /// False for a task that an attempt has left behind, and for an attempt of another sender.
    func isRunning(_ attempt: Attempt) -> Bool { running[attempt.entry] === attempt }

    /// Adds a call.
    /// - Returns: fulfilled by the caller once ``takeQuiet(_:)`` returns it.
    mutating func add(_ user: String?, by attempt: Attempt?) -> Promise<Void> {
        if let attempt, isRunning(attempt) { callers.insert(attempt.entry) }
        let waiter = Waiter(user: user, attempt: attempt)
        waiters.append(waiter)
        return waiter.promise
    }

    /// Those of the entries in flight, with their users, that a call waits for.
    func awaited(of inFlight: [OutboxEntry.ID: String], by attempt: Attempt?) -> [OutboxEntry.ID: String] {
        guard let attempt, isRunning(attempt) else { return inFlight }
        return inFlight.filter { $0.key != attempt.entry && !callers.contains($0.key) }
    }

    /// Removes the calls that wait for none of the entries in flight.
    mutating func takeQuiet(_ inFlight: [OutboxEntry.ID: String]) -> [Promise<Void>] {
        let isBusy = waiters.map { waiter in
            awaited(of: inFlight, by: waiter.attempt).contains { waiter.user == nil || $0.value == waiter.user }
        }
        let quiet = zip(waiters, isBusy).filter { !$0.1 }.map(\.0.promise)
        waiters = zip(waiters, isBusy).filter(\.1).map(\.0)
        return quiet
    }
}

/// Counting semaphore with a FIFO queue of waiting calls that can leave it; a pure value.
///
///     free slot     --acquire-->                        one free slot fewer
///     no free slot  --acquire-->                        one waiting call more
///     waiting call  --cancel, removeAll, expire-->      gone without a slot
///     used slot     --release, with a waiting call-->   used by the first one, so that no other call comes first
///     used slot     --release, without-->               one free slot more
///
/// The queue is a dictionary by increasing numbers: a call leaves it in constant time.
struct CallSlotsState<Waiter> {
    private struct Entry {
        let waiter: Waiter
        /// Nil for a call that waits without a limit.
        let deadline: UInt64?
    }

    /// The number of free slots.
    private(set) var freeCount: Int
    private var waiting: [Int: Entry] = [:]
    /// The first call has this number or a later one.
    private var first = 0
    /// Number of the next call.
    private var next = 0
    /// True while a timer runs, for the deadline of a call that was the first one at that time.
    private var hasTimer = false

    /// - Parameter count: the number of slots.
    init(count: Int) { freeCount = count }

    /// The number of waiting calls.
    var waitingCount: Int { waiting.count }

    /// Takes a free slot.
    /// - Returns: false if there is none.
    mutating func acquire() -> Bool {
        guard freeCount > 0 else { return false }
        freeCount -= 1
        return true
    }

    /// A number for a call that may have to wait.
    mutating func makeNumber() -> Int {
        defer { next += 1 }
        return next
    }

    /// Adds a call to the queue.
    /// - Parameter deadline: the end of its wait, not before that of an earlier call; nil for none.
    /// - Returns: the time at which the caller has to call ``expire(at:)``; nil if it does so already.
    mutating func enqueue(_ waiter: Waiter, number: Int, deadline: UInt64?) -> UInt64? {
        waiting[number] = Entry(waiter: waiter, deadline: deadline)
        first = min(first, number)
        guard !hasTimer, let deadline else { return nil }
        hasTimer = true
        return deadline
    }

    /// Removes a call from the queue.
    /// - Returns: nil if it is not waiting.
    mutating func cancel(_ number: Int) -> Waiter? { waiting.removeValue(forKey: number)?.waiter }

    /// Removes all calls from the queue.
    mutating func removeAll() -> [Waiter] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value.waiter)
    }

    /// Removes the calls whose wait has ended.
    /// - Returns: those calls, and the time of the next call of this method; nil if none is needed.
    mutating func expire(at now: UInt64) -> (expired: [Waiter], next: UInt64?) {
        var expired: [Waiter] = []
        while let entry = firstEntry, let deadline = entry.deadline {
            guard deadline <= now else { return (expired, deadline) }
            waiting[first] = nil
            expired.append(entry.waiter)
        }
        hasTimer = false
        return (expired, nil)
    }

    /// Returns a slot.
    /// - Returns: the call that has it now; nil if it is free.
    mutating func release() -> Waiter? {
        guard let entry = firstEntry else {
            freeCount += 1
            return nil
        }
        waiting[first] = nil
        return entry.waiter
    }

    /// The first entry, whose number is ``first`` then.
    private var firstEntry: Entry? {
        mutating get {
            guard !waiting.isEmpty else { return nil }
            while true {
                if let entry = waiting[first] { return entry }
                first += 1
            }
        }
    }
}

/// Slot table with a free list: the items of a queue in numbered slots, each with its state.
///
/// A slot number is reused; the serial number of its item is not, so a stale ``QueueItemID`` matches no slot.
struct SlotTable {
    /// ```
    /// free      -> waiting, suspended, running   after insert(key:level:arrival:)
    /// suspended -> waiting                       admit
    /// waiting, suspended -> running              start
    /// running   -> cancelling                    cancelRunning
    /// any       -> free                          remove
    /// ```
    enum State {
        case free, waiting, suspended, running, cancelling
    }

    struct Slot {
        let serial: UInt64
        let level: Int
        /// The time of submission, in nanoseconds.
        let arrival: Int64
        /// The numbers of its key and its tag; -1 for no tag.
        let key: Int32
        var tag: Int32 = -1
        fileprivate(set) var state = State.free
        /// True while it waits and has a deadline.
        var hasDeadline = false
        /// True if it can be cancelled while it runs.
        var isCancellable = true

        var isWaiting: Bool { state == .waiting || state == .suspended }
        var isRunning: Bool { state == .running || state == .cancelling }
    }

    /// Identifies the queue in its item IDs.
    let queue = QueueItemID.makeQueue()
    private(set) var runningCount = 0
    /// Includes suspended items.
    private(set) var waitingCount = 0
    private(set) var suspendedCount = 0
    /// By slot number.
    var all: [Slot] = []
    private var freeSlots: [Int32] = []
    private var lastSerial: UInt64 = 0
    // A slot is in at most one of the two lists.
    private var links = SlotLists()
    private var running = SlotLists.List()
    private var suspended = SlotLists.List()

    /// The slots of running items, in order of their start.
    var runningSlots: [Int] { links.slots(running) }
    /// The slot that has been suspended longest.
    var firstSuspended: Int? { suspended.first }

    /// Reserves a free slot. The caller must call ``wait(_:isSuspended:)`` or ``start(_:)`` next.
    mutating func insert(key: Int, level: Int, arrival: Int64) -> Int {
        lastSerial += 1
        let slot = Slot(
            serial: lastSerial, level: level, arrival: arrival, key: Int32(truncatingIfNeeded: key))
        guard let number = freeSlots.popLast() else {
            all.append(slot)
            return all.count - 1
        }
        all[Int(number)] = slot
        return Int(number)
    }

    mutating func remove(_ slot: Int) {
        leaveState(slot)
        all[slot].state = .free
        freeSlots.append(Int32(truncatingIfNeeded: slot))
    }

    mutating func wait(_ slot: Int, isSuspended: Bool) {
        all[slot].state = isSuspended ? .suspended : .waiting
        waitingCount += 1
        guard isSuspended else { return }
        suspendedCount += 1
        links.append(slot, to: &suspended)
    }

    /// Ends the suspension of a waiting item.
    mutating func admit(_ slot: Int) {
        leaveState(slot)
        wait(slot, isSuspended: false)
    }

    mutating func start(_ slot: Int) {
        leaveState(slot)
        all[slot].state = .running
        runningCount += 1
        links.append(slot, to: &running)
    }

    mutating func cancelRunning(_ slot: Int) { all[slot].state = .cancelling }

    /// Undoes what the slot's state counts for.
    private mutating func leaveState(_ slot: Int) {
        switch all[slot].state {
        case .free: return
        case .waiting: waitingCount -= 1
        case .suspended:
            waitingCount -= 1
            suspendedCount -= 1
            links.remove(slot, from: &suspended)
        case .running, .cancelling:
            runningCount -= 1
            links.remove(slot, from: &running)
        }
    }

    func id(_ slot: Int) -> QueueItemID {
        QueueItemID(queue: queue, slot: Int32(truncatingIfNeeded: slot), serial: all[slot].serial)
    }

    /// The slot of an item, or nil if the item is no longer in the queue.
    func slot(_ id: QueueItemID) -> Int? {
        let slot = Int(id.slot)
        guard id.queue == queue, all.indices.contains(slot) else { return nil }
        return all[slot].serial == id.serial && all[slot].state != .free ? slot : nil
    }

    /// Releases the memory of the free slots. The table must be empty.
    mutating func removeAll() {
        all = []
        freeSlots = []
        links = SlotLists()
    }
}

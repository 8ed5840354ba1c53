/// Who is in a queue, in numbered slots, and whether each of them waits or runs.
struct PlaceTable {
    enum State {
        case free, waiting, held, running, stopping
    }

    struct Place {
        let serial: UInt64
        let level: Int
        /// When it came, in nanoseconds.
        let arrival: Int64
        /// The numbers of its key and its tag.
        let key: Int32
        var tag: Int32 = -1
        fileprivate(set) var state = State.free
        /// True while it waits and has a deadline.
        var hasDeadline = false
        /// True when it can be stopped while it runs.
        var isStoppable = true

        var isWaiting: Bool { state == .waiting || state == .held }
        var isRunning: Bool { state == .running || state == .stopping }
    }

    /// The number of the queue, for names.
    let queue = QueueItemID.makeQueue()
    private(set) var runningCount = 0
    /// Those included that are held.
    private(set) var waitingCount = 0
    private(set) var heldCount = 0
    /// By slot.
    var all: [Place] = []
    private var free: [Int32] = []
    private var lastSerial: UInt64 = 0
    // A slot is in one of these lists at most.
    private var chain = Chain()
    private var running = Chain.Ends()
    private var held = Chain.Ends()

    /// The slots of those that run, in the order in which they started.
    var runningSlots: [Int] { chain.slots(running) }
    /// The slot of who has been held the longest.
    var firstHeld: Int? { held.first }

    /// Takes a free slot, which is to be told then whether who is in it waits or runs.
    mutating func insert(key: Int, level: Int, arrival: Int64) -> Int {
        lastSerial += 1
        let place = Place(
            serial: lastSerial, level: level, arrival: arrival, key: Int32(truncatingIfNeeded: key))
        guard let slot = free.popLast() else {
            all.append(place)
            return all.count - 1
        }
        all[Int(slot)] = place
        return Int(slot)
    }

    /// Empties a slot.
    mutating func remove(_ slot: Int) {
        leave(slot)
        all[slot].state = .free
        free.append(Int32(truncatingIfNeeded: slot))
    }

    mutating func wait(_ slot: Int, isHeld: Bool) {
        all[slot].state = isHeld ? .held : .waiting
        waitingCount += 1
        guard isHeld else { return }
        heldCount += 1
        chain.append(slot, to: &held)
    }

    mutating func accept(_ slot: Int) {
        leave(slot)
        wait(slot, isHeld: false)
    }

    mutating func run(_ slot: Int) {
        leave(slot)
        all[slot].state = .running
        runningCount += 1
        chain.append(slot, to: &running)
    }

    mutating func stop(_ slot: Int) { all[slot].state = .stopping }

    private mutating func leave(_ slot: Int) {
        switch all[slot].state {
        case .free: return
        case .waiting: waitingCount -= 1
        case .held:
            waitingCount -= 1
            heldCount -= 1
            chain.remove(slot, from: &held)
        case .running, .stopping:
            runningCount -= 1
            chain.remove(slot, from: &running)
        }
    }

    func id(_ slot: Int) -> QueueItemID {
        QueueItemID(queue: queue, slot: Int32(truncatingIfNeeded: slot), serial: all[slot].serial)
    }

    /// The slot of somebody who is still here.
    func slot(_ id: QueueItemID) -> Int? {
        let slot = Int(id.slot)
        guard id.queue == queue, all.indices.contains(slot) else { return nil }
        return all[slot].serial == id.serial && all[slot].state != .free ? slot : nil
    }

    /// Forgets the free slots. Nobody may be here.
    mutating func removeAll() {
        all = []
        free = []
        chain = Chain()
    }
}

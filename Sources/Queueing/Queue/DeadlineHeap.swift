/// Deadlines of numbered slots, the earliest first.
///
/// Most who wait are served long before their deadline. So nobody is looked up here when that happens: an entry of
/// somebody who has left is passed over later, and when half of all entries are such they are cleared away together.
struct DeadlineHeap {
    private struct Entry {
        let moment: Int64
        let slot: Int32
        /// Tells for whom it is, as the slot may have been used again.
        let serial: UInt64

        /// Of those with one deadline, the one that came first.
        static func < (left: Entry, right: Entry) -> Bool {
            left.moment != right.moment ? left.moment < right.moment : left.serial < right.serial
        }

        func isPresent(in places: PlaceTable) -> Bool {
            let place = places.all[Int(slot)]
            return place.serial == serial && place.hasDeadline
        }
    }

    private var entries: [Entry] = []
    private var departed = 0

    /// How many deadlines are remembered.
    var count: Int { entries.count }

    mutating func insert(_ moment: Int64, for id: QueueItemID) {
        entries.append(Entry(moment: moment, slot: id.slot, serial: id.serial))
        rise(from: entries.count - 1)
    }

    /// Somebody with a deadline has left.
    mutating func leave(in places: PlaceTable) {
        departed += 1
        guard departed > 64, departed > entries.count / 2 else { return }
        entries.removeAll { !$0.isPresent(in: places) }
        departed = 0
        for place in stride(from: entries.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
    }

    /// The earliest deadline of somebody who is still there.
    mutating func first(in places: PlaceTable) -> (slot: Int, moment: Int64)? {
        while let first = entries.first {
            if first.isPresent(in: places) { return (Int(first.slot), first.moment) }
            removeFirst()
            departed -= 1
        }
        return nil
    }

    private mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        sink(from: 0)
    }

    private mutating func rise(from start: Int) {
        let entry = entries[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry < entries[parent] else { break }
            entries[place] = entries[parent]
            place = parent
        }
        entries[place] = entry
    }

    private mutating func sink(from start: Int) {
        let entry = entries[start]
        var place = start
        while true {
            var child = place * 2 + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
            guard entries[child] < entry else { break }
            entries[place] = entries[child]
            place = child
        }
        entries[place] = entry
    }
}

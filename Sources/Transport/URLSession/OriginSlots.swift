import HTTPMessages

/// Who may use a connection to an origin, and who waits for one: first come, first served.
///
/// URLSession has such a queue itself, but counts the time in it as part of the request's timeout.
struct OriginSlots<Item> {
    // Taking the first of an array slice is as quick, but the slice keeps what was taken alive.
    private struct Line {
        var running = 0
        /// Who is next is last in here, and `newcomers` come after all of them.
        var next: [Item] = []
        var newcomers: [Item] = []
        var sizeOfNextPurge = 64

        mutating func append(_ item: Item, purging isGone: (Item) -> Bool) {
            newcomers.append(item)
            // Whoever gave up would otherwise stay as long as no slot becomes free.
            guard newcomers.count >= sizeOfNextPurge else { return }
            newcomers.removeAll(where: isGone)
            sizeOfNextPurge = max(64, newcomers.count * 2)
        }

        mutating func popFirst() -> Item? {
            if next.isEmpty {
                next = newcomers.reversed()
                newcomers = []
            }
            return next.popLast()
        }
    }

    private let limit: Int
    private let isGone: (Item) -> Bool
    private var lines: [Origin: Line] = [:]

    /// - Parameter isGone: true for those who need no slot any more.
    init(limit: Int, isGone: @escaping (Item) -> Bool) {
        self.limit = max(1, limit)
        self.isGone = isGone
    }

    /// How many wait, those who gave up included as long as they are remembered.
    var waiting: Int { lines.values.reduce(0) { $0 + $1.next.count + $1.newcomers.count } }

    /// True when the item may start now; else it waits.
    mutating func acquire(_ origin: Origin, for item: Item) -> Bool {
        guard lines[origin, default: Line()].running < limit else {
            lines[origin]?.append(item, purging: isGone)
            return false
        }
        lines[origin, default: Line()].running += 1
        return true
    }

    /// Gives a slot back.
    /// - Returns: who has it now and is to start, or nil.
    mutating func release(_ origin: Origin) -> Item? {
        while let next = lines[origin]?.popFirst() {
            if !isGone(next) { return next }
        }
        lines[origin]?.running -= 1
        if lines[origin]?.running == 0 { lines[origin] = nil }
        return nil
    }
}

/// Who may use a connection to an origin, and who waits for one: first come, first served.
///
/// URLSession has such a queue itself, but counts the time in it as part of the request's timeout.
struct OriginSlots<Item> {
    private struct Origin {
        var running = 0
        var waiting: ArraySlice<Item> = []
    }

    private let limit: Int
    private var origins: [String: Origin] = [:]

    init(limit: Int) { self.limit = max(1, limit) }

    /// True when the item may start now; else it waits.
    mutating func acquire(_ origin: String, for item: Item) -> Bool {
        guard origins[origin, default: Origin()].running < limit else {
            origins[origin]?.waiting.append(item)
            return false
        }
        origins[origin, default: Origin()].running += 1
        return true
    }

    /// Gives a slot back.
    /// - Returns: who has it now and is to start, or nil.
    mutating func release(_ origin: String, skipping isGone: (Item) -> Bool) -> Item? {
        while let next = origins[origin]?.waiting.popFirst() {
            if !isGone(next) { return next }
        }
        origins[origin]?.running -= 1
        if origins[origin]?.running == 0 { origins[origin] = nil }
        return nil
    }
}

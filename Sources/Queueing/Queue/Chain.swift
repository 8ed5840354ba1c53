/// Lists of numbered slots, of which any can be removed at once: each slot knows its neighbours.
///
/// One chain holds any number of lists, as long as no slot is in two of them.
struct Chain {
    /// The two ends of one list.
    struct Ends {
        fileprivate var head: Int32 = -1
        fileprivate var tail: Int32 = -1

        var isEmpty: Bool { head < 0 }
        var first: Int? { head < 0 ? nil : Int(head) }
    }

    // Four bytes each, so that as many as possible share a line of the cache.
    private struct Link {
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private var links: [Link] = []

    mutating func append(_ slot: Int, to ends: inout Ends) {
        while slot >= links.count { links.append(Link()) }
        links[slot] = Link(previous: ends.tail)
        let name = Int32(truncatingIfNeeded: slot)
        if ends.tail >= 0 { links[Int(ends.tail)].next = name } else { ends.head = name }
        ends.tail = name
    }

    /// - Parameter ends: the list that the slot is in.
    mutating func remove(_ slot: Int, from ends: inout Ends) {
        let link = links[slot]
        if link.previous >= 0 { links[Int(link.previous)].next = link.next } else { ends.head = link.next }
        if link.next >= 0 { links[Int(link.next)].previous = link.previous } else { ends.tail = link.previous }
        links[slot] = Link()
    }

    /// The slots of a list, in order.
    func slots(_ ends: Ends) -> [Int] {
        var slots: [Int] = []
        var slot = ends.head
        while slot >= 0 {
            slots.append(Int(slot))
            slot = links[Int(slot)].next
        }
        return slots
    }
}

/// Doubly linked lists over slot numbers, intrusive and with O(1) removal from the middle.
///
/// The links of all lists share one array, so a slot may be in at most one list of an instance.
struct SlotLists {
    /// Head and tail of one list.
    struct List {
        fileprivate var head: Int32 = -1
        fileprivate var tail: Int32 = -1

        var isEmpty: Bool { head < 0 }
        var first: Int? { head < 0 ? nil : Int(head) }
    }

    // 32-bit indices: eight links fit into one cache line.
    private struct Link {
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private var links: [Link] = []

    mutating func append(_ slot: Int, to list: inout List) {
        while slot >= links.count { links.append(Link()) }
        links[slot] = Link(previous: list.tail)
        let index = Int32(truncatingIfNeeded: slot)
        if list.tail >= 0 { links[Int(list.tail)].next = index } else { list.head = index }
        list.tail = index
    }

    /// - Parameter list: the list that contains the slot.
    mutating func remove(_ slot: Int, from list: inout List) {
        let link = links[slot]
        if link.previous >= 0 { links[Int(link.previous)].next = link.next } else { list.head = link.next }
        if link.next >= 0 { links[Int(link.next)].previous = link.previous } else { list.tail = link.previous }
        links[slot] = Link()
    }

    /// The slots of a list, in order.
    func slots(_ list: List) -> [Int] {
        var slots: [Int] = []
        var slot = list.head
        while slot >= 0 {
            slots.append(Int(slot))
            slot = links[Int(slot)].next
        }
        return slots
    }
}

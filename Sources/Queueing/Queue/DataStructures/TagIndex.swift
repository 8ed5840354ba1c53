/// Multimap from tags to slots: an interner, and a linked list of slots per tag.
struct TagIndex {
    private var tags = Interner<String>()
    /// By tag number.
    private var lists: [SlotLists.List] = []
    private var links = SlotLists()

    /// - Returns: the number of the tag, valid until the last slot with that tag is removed.
    mutating func insert(_ slot: Int, tag: String) -> Int {
        let number = tags.number(of: tag) ?? tags.insert(tag)
        if number == lists.count { lists.append(SlotLists.List()) }
        links.append(slot, to: &lists[number])
        return number
    }

    /// - Parameter number: the number of the slot's tag.
    mutating func remove(_ slot: Int, number: Int) {
        links.remove(slot, from: &lists[number])
        if lists[number].isEmpty { tags.remove(number) }
    }

    /// The slots with a tag, in order of insertion.
    func slots(tag: String) -> [Int] { tags.number(of: tag).map { links.slots(lists[$0]) } ?? [] }

    func tag(number: Int) -> String? { tags.value(of: number) }
}

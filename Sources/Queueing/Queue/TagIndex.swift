/// Which slots have which tag.
struct TagIndex {
    private var numbering = Numbering<String>()
    private var groups: [Chain.Ends] = []
    private var chain = Chain()

    /// Gives a slot a tag.
    /// - Returns: the number of the tag, good until the last slot with that tag is removed.
    mutating func insert(_ slot: Int, tag: String) -> Int {
        let number = numbering.number(of: tag) ?? numbering.insert(tag)
        if number == groups.count { groups.append(Chain.Ends()) }
        chain.append(slot, to: &groups[number])
        return number
    }

    /// - Parameter number: of the tag that the slot has.
    mutating func remove(_ slot: Int, number: Int) {
        chain.remove(slot, from: &groups[number])
        if groups[number].isEmpty { numbering.remove(number) }
    }

    /// The slots with a tag, in the order in which they got it.
    func slots(tag: String) -> [Int] { numbering.number(of: tag).map { chain.slots(groups[$0]) } ?? [] }

    func tag(number: Int) -> String? { numbering.name(of: number) }
}

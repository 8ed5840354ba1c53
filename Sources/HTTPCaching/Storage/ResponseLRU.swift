import HTTPMessages

/// Responses in memory: a hash table of URLs with the variants of each, and a doubly linked list in the order of use.
///
/// The list is in an array of slots with a free list, so that a hit allocates nothing.
struct ResponseLRU: Sendable {
    private struct Slot: Sendable {
        var entry: CacheEntry?
        var previous: Int
        var next: Int
    }
    private struct Group: Sendable {
        /// The lists of names in `Vary`, the newest last.
        var lists: [[String]] = []
        var slots: [String: Int] = [:]

        /// - Returns: whether it was the last one.
        mutating func remove(_ variant: String) -> Bool {
            slots[variant] = nil
            return slots.isEmpty
        }
    }

    /// The most lists of names for one URL: a look-up computes a key for each.
    private static let maximumLists = 8
    private static let none = -1

    private let limits: HTTPCache.Limits
    private let hash: KeyedHash
    private var groups: [String: Group] = [:]
    private var slots: [Slot] = []
    private var free: [Int] = []
    private var (newest, oldest) = (none, none)
    private var removals = RemovalLog()
    /// The number of the last change, from which versions and tickets are taken.
    private(set) var number: Int64 = 0
    private(set) var usage = CacheUsage()

    init(limits: HTTPCache.Limits, hash: KeyedHash) {
        self.limits = limits
        self.hash = hash
    }

    // MARK: Reading

    mutating func find(_ lookup: CacheLookup, at now: Double) -> CacheFinding {
        guard let group = groups[lookup.url] else { return CacheFinding() }
        var found = none
        for list in group.lists {
            let key = Variant.key(of: lookup, names: list, hash)
            guard let index = group.slots[key], slots[index].entry?.response.varying == list else { continue }
            if found == none || recency(index, now) > recency(found, now) { found = index }
        }
        guard found != none else {
            return CacheFinding(isKnown: group.slots.keys.contains { $0.isVariant(of: lookup.prefix) })
        }
        touch(found)
        return CacheFinding(entry: slots[found].entry, isKnown: true)
    }

    private var none: Int { Self.none }

    private func recency(_ index: Int, _ now: Double) -> Double { slots[index].entry?.response.recency(at: now) ?? 0 }

    func variants(_ lookup: CacheLookup, limit: Int) -> [CacheEntry] {
        guard let group = groups[lookup.url] else { return [] }
        var found: [CacheEntry] = []
        for (key, index) in group.slots where key.isVariant(of: lookup.prefix) {
            if let entry = slots[index].entry { found.append(entry) }
            if found.count == limit { break }
        }
        return found
    }

    // MARK: Writing

    /// - Returns: false if the response was refused.
    mutating func insert(_ response: StoredResponse, _ lookup: CacheLookup, ticket: Int64) -> Bool {
        guard removals.permits(lookup.url, since: ticket), response.cost <= limits.bytes else { return false }
        let key = Variant.key(of: lookup, names: response.varying, hash)
        let (isKnown, known) = groups[lookup.url].map { (true, $0.slots[key]) } ?? (false, nil)
        if let known {
            // A newer one has come while the body of this one was read. A clock may be set back: times do not suffice.
            if let old = slots[known].entry?.response, old.version > ticket, old.receivedTime > response.receivedTime {
                return false
            }
            remove(at: known)
        }
        if isKnown { keep(response.varying, of: lookup.url) }
        let index = add(CacheEntry(url: lookup.url, variant: key, response: response.with(version: next())))
        groups[lookup.url, default: Group(lists: [response.varying])].slots[key] = index
        evict()
        return true
    }

    private mutating func next() -> Int64 {
        number += 1
        return number
    }

    /// Adds a list of names; beyond the most lists, the oldest is dropped with its responses.
    private mutating func keep(_ list: [String], of url: String) {
        var lists = groups[url, default: Group()].lists
        lists.removeAll { $0 == list }
        if lists.count >= Self.maximumLists {
            let dropped = lists.removeFirst()
            let indices = groups[url]?.slots.values.filter { slots[$0].entry?.response.varying == dropped } ?? []
            for index in indices { remove(at: index) }
        }
        groups[url, default: Group()].lists = lists + [list]
    }

    /// - Returns: the new response with its version; nil if the old one is there no more.
    mutating func replace(_ old: CacheEntry, with new: StoredResponse) -> StoredResponse? {
        guard let index = index(of: old) else { return nil }
        let response = new.with(version: next())
        guard new.varying == old.response.varying else { return nil }
        usage.bytes += response.cost - old.response.cost
        slots[index].entry = CacheEntry(url: old.url, variant: old.variant, response: response)
        evict()
        return response
    }

    mutating func remove(_ entry: CacheEntry) {
        if let index = index(of: entry) { remove(at: index) }
    }

    private func index(of entry: CacheEntry) -> Int? {
        guard let index = groups[entry.url]?.slots[entry.variant],
            slots[index].entry?.response.version == entry.response.version
        else { return nil }
        return index
    }

    /// - Returns: as ``CacheStorage/removeAll(urls:since:)``.
    mutating func removeAll(urls: Set<String>, since ticket: Int64) -> Int64? {
        let isFirst = urls.allSatisfy { removals.permits($0, since: ticket) }
        for url in urls {
            removals.note(url, number: next())
            for index in groups[url].map({ Array($0.slots.values) }) ?? [] { remove(at: index) }
        }
        return isFirst ? number : nil
    }

    mutating func removeAll(partition: String?) {
        removals.note(nil, number: next())
        guard let partition else {
            (groups, slots, free) = ([:], [], [])
            (newest, oldest, usage) = (none, none, CacheUsage(evicted: usage.evicted))
            return
        }
        let indices = groups.values.flatMap { group in
            group.slots.filter { $0.key.isKey(in: partition) }.map(\.value)
        }
        for index in indices { remove(at: index) }
    }

    private mutating func evict() {
        while usage.entries > limits.entries || usage.bytes > limits.bytes, oldest != none {
            remove(at: oldest)
            usage.evicted += 1
        }
    }

    // MARK: The list

    /// - Returns: its slot.
    private mutating func add(_ entry: CacheEntry) -> Int {
        let index = free.popLast() ?? slots.count
        let slot = Slot(entry: entry, previous: none, next: newest)
        if index == slots.count { slots.append(slot) } else { slots[index] = slot }
        if newest != none { slots[newest].previous = index }
        newest = index
        if oldest == none { oldest = index }
        usage.entries += 1
        usage.bytes += entry.response.cost
        return index
    }

    private mutating func remove(at index: Int) {
        guard let entry = slots[index].entry else { return }
        unlink(index)
        slots[index].entry = nil
        free.append(index)
        usage.entries -= 1
        usage.bytes -= entry.response.cost
        if groups[entry.url]?.remove(entry.variant) ?? false { groups[entry.url] = nil }
    }

    private mutating func unlink(_ index: Int) {
        let (previous, next) = (slots[index].previous, slots[index].next)
        if previous == none { newest = next } else { slots[previous].next = next }
        if next == none { oldest = previous } else { slots[next].previous = previous }
    }

    /// Makes a slot the newest one.
    private mutating func touch(_ index: Int) {
        guard newest != index else { return }
        unlink(index)
        slots[index].previous = none
        slots[index].next = newest
        if newest != none { slots[newest].previous = index }
        newest = index
        if oldest == none { oldest = index }
    }
}

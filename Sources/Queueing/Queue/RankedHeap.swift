/// Where something stands among others; less is sooner.
struct Rank: Comparable {
    let value: Int64
    /// Decides among equals.
    let sequence: UInt64

    static func < (left: Rank, right: Rank) -> Bool {
        left.value != right.value ? left.value < right.value : left.sequence < right.sequence
    }
}

/// Numbered members by rank, of which any can be moved or removed in logarithmic time.
///
/// Where each member is in the heap stands in an array that the caller keeps, so that many heaps whose members are
/// numbered together need only one.
struct RankedHeap {
    /// The place of each member in the heap that it is in, or -1.
    typealias Places = [Int32]

    private struct Entry {
        let rank: Rank
        let member: Int32
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The member with the least rank.
    var first: Int? { entries.first.map { Int($0.member) } }
    /// The least rank.
    var firstRank: Rank? { entries.first?.rank }

    /// Puts a member in its place, whether it was here or not.
    mutating func set(_ member: Int, to rank: Rank, _ places: inout Places) {
        let entry = Entry(rank: rank, member: Int32(truncatingIfNeeded: member))
        var place = Int(places[member])
        if place < 0 {
            place = entries.count
            entries.append(entry)
        }
        place = rise(entry, from: place, &places)
        sink(entry, from: place, &places)
    }

    /// Removes a member; nothing happens when it is not here.
    mutating func remove(_ member: Int, _ places: inout Places) {
        let place = Int(places[member])
        guard place >= 0, let last = entries.popLast() else { return }
        places[member] = -1
        guard place < entries.count else { return }
        sink(last, from: rise(last, from: place, &places), &places)
    }

    /// Moves up from a place what ranks before those above it.
    /// - Returns: where it has come to; it is not put there yet.
    private mutating func rise(_ entry: Entry, from start: Int, _ places: inout Places) -> Int {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.rank < entries[parent].rank else { break }
            put(entries[parent], at: place, &places)
            place = parent
        }
        return place
    }

    /// Moves down from a place what ranks after those below it.
    private mutating func sink(_ entry: Entry, from start: Int, _ places: inout Places) {
        var place = start
        while true {
            var child = place * 2 + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].rank < entries[child].rank { child += 1 }
            guard entries[child].rank < entry.rank else { break }
            put(entries[child], at: place, &places)
            place = child
        }
        put(entry, at: place, &places)
    }

    private mutating func put(_ entry: Entry, at place: Int, _ places: inout Places) {
        entries[place] = entry
        places[Int(entry.member)] = Int32(truncatingIfNeeded: place)
    }
}

import Foundation

/// Growable buffer of tape entries.
struct TapeWriter: ~Copyable {
    private(set) var entries: UnsafeMutablePointer<TapeEntry>
    private(set) var count = 0
    private var capacity: Int

    /// - Parameter capacity: the initial one; more than zero.
    init(capacity: Int) {
        entries = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { entries.deallocate() }

    @inline(__always)
    mutating func append(_ entry: TapeEntry) {
        if count == capacity { grow() }
        (entries + count).initialize(to: entry)
        count += 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<TapeEntry>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }

    /// Transfers the memory to the caller, which deallocates it.
    consuming func take() -> UnsafeMutablePointer<TapeEntry> {
        let entries = entries
        discard self
        return entries
    }
}

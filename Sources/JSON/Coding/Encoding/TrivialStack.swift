/// Stack of values that need no reference counting, without checks of uniqueness and exclusivity.
///
/// Subscripts and `pop` require an index in range, which debug builds check.
struct TrivialStack<Element: BitwiseCopyable>: ~Copyable {
    private var start: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0
    /// False while the memory belongs to the creator.
    private var isOwner = false

    /// Uses memory of the caller, which outlives the stack, until it is full.
    init(in memory: UnsafeMutableRawPointer, capacity: Int) {
        start = memory.bindMemory(to: Element.self, capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        if isOwner { start.deallocate() }
    }

    @inline(__always)
    mutating func push(_ element: Element) {
        if count == capacity { grow() }
        start[count] = element
        count += 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.update(from: start, count: count)
        if isOwner { start.deallocate() }
        start = larger
        isOwner = true
        capacity *= 2
    }

    @inline(__always)
    mutating func pop() -> Element {
        assert(count > 0)
        count -= 1
        return start[count]
    }

    @inline(__always)
    mutating func truncate(to count: Int) {
        assert(count <= self.count)
        self.count = count
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return start[index]
        }
        set {
            assert(index >= 0 && index < count)
            start[index] = newValue
        }
    }
}

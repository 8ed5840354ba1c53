/// Unique owner of a value on the heap: moving it moves one word instead of the value.
///
/// A connection has more than a hundred bytes, and each read moves it out of the pool and back.
struct UniqueBox<Value: ~Copyable & Sendable>: ~Copyable, @unchecked Sendable {
    // Only the owner of the box has the pointer, and there is one owner, since the box is noncopyable.
    private let pointer: UnsafeMutablePointer<Value>

    init(_ value: consuming Value) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: value)
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    /// Passes the value in place.
    @inline(__always)
    mutating func withValue<Result: ~Copyable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try body(&pointer.pointee)
    }

    /// Passes the value in place, where a lock guards the box.
    ///
    /// The caller owns the lock, and calls it not again from `body`.
    @inline(__always)
    func withValueOfOwner<Result: ~Copyable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try body(&pointer.pointee)
    }
}

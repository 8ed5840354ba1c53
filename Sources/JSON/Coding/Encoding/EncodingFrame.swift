/// State of one value that is being encoded, on the stack of an ``EncodingSegment``.
struct EncodingFrame: BitwiseCopyable {
    /// What the value has asked for. A value asks for one kind only.
    enum Kind: BitwiseCopyable {
        /// Nothing yet.
        case undecided
        /// An object; its brace is open.
        case keyed
        /// An array; its bracket is open.
        case unkeyed
        /// A single value, which may still be missing.
        case single
    }

    /// Distinguishes this frame from others that had its place on the stack.
    let serial: UInt32
    /// The type of the value.
    let type: Any.Type
    /// The key of the value in the frame below.
    let key: Key
    var kind = Kind.undecided
    /// Number of members or elements.
    var count = 0
    /// Bloom filter of the names, of 64 bits.
    var filter: UInt64 = 0
    /// Where the hashes of the names start in those of the segment.
    let hashes: Int

    /// The key of a value, without a reference.
    enum Key: BitwiseCopyable {
        /// A single value has the path of the value around it.
        case none
        /// The index of an element.
        case index(Int)
        /// Where the name of a member starts in the text, after its quote.
        case name(Int)
    }
}

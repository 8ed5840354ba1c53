/// A decoder of one content coding (RFC 9110, section 8.4.1), used by one thread.
protocol ContentDecoder: AnyObject {
    /// True at the end of the coded data, where the body may end.
    var isComplete: Bool { get }

    /// Decodes a part of the body.
    /// - Parameters:
    ///   - input: coded bytes; those that were consumed are removed.
    ///   - output: receives decoded bytes. If it is filled, there may be more without further input.
    /// - Returns: the number of decoded bytes.
    /// - Throws: ``InvalidCoding``.
    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(InvalidCoding) -> Int
}

/// The coded data is invalid.
struct InvalidCoding: Error {
    /// The number of bytes in the output that were decoded before the invalid ones. The library of Brotli keeps up to a
    /// window of them.
    var decoded = 0
}

extension UnsafeRawBufferPointer {
    /// Removes the first bytes.
    mutating func consume(_ count: Int) { self = UnsafeRawBufferPointer(rebasing: self[count...]) }
}

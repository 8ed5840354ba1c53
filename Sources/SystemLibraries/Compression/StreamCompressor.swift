package import Foundation

/// An incremental compressor, used by one thread at a time.
///
/// Call ``supply(_:)``, then ``read(atMost:)`` until it returns nil, and repeat; at the end call ``finish()``, then
/// ``read(atMost:)`` until it returns nil.
package protocol StreamCompressor: AnyObject {
    /// True once the last byte was read.
    var isAtEnd: Bool { get }

    /// Adds input.
    func supply(_ data: Data)

    /// Returns the compressed bytes of all input so far, also those that the compressor holds back; empty if there are
    /// none. Each call costs some bytes.
    func flush() throws(SystemLibraryError) -> Data

    /// Marks the end of the input.
    func finish()

    /// Returns the next compressed bytes.
    /// - Returns: one to `count` bytes; nil if more input is needed or, after ``finish()``, at the end.
    func read(atMost count: Int) throws(SystemLibraryError) -> Data?
}

extension Deflater: StreamCompressor {}

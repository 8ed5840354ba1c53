extension ArraySlice<UInt8> {
    /// As `withUnsafeBytes`, with typed throws.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }

    /// The text up to its first NUL, where SQLite handles it as a C string.
    var upToNUL: ArraySlice<UInt8> {
        firstIndex(of: 0).map { prefix(upTo: $0) } ?? self
    }
}

extension [UInt8] {
    /// As `withUnsafeBytes`, with typed throws.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}

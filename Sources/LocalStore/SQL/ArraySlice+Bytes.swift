extension ArraySlice<UInt8> {
    /// As `withUnsafeBytes`, for closures that throw one type of error.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }

    /// Where SQLite works on texts as C strings, they end before the first NUL.
    var upToNUL: ArraySlice<UInt8> {
        firstIndex(of: 0).map { prefix(upTo: $0) } ?? self
    }
}

extension [UInt8] {
    /// As `withUnsafeBytes`, for closures that throw one type of error.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}

package import JSON

extension JSONScanner {
    /// Reads a nonnegative integer.
    package mutating func count() throws(Stop) -> Int {
        let start = stop(.count)
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw start }
        guard case .integer(let value) = try scalar(), let count = Int(exactly: value) else { throw start }
        return count
    }
}

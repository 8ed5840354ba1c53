public import Foundation

extension JSONCoding {
    /// Encodes a value as JSON in UTF-8.
    ///
    /// Members are in the order in which the type encodes them, unless ``format`` sorts them. Numbers have the fewest
    /// digits that give the same number again.
    ///
    /// A value that contains itself is an error, but overflows the stack if it does so through `superEncoder()` and its
    /// type encodes nothing before that.
    /// - Throws: `EncodingError` with the coding path, also for infinity and NaN, and for nesting beyond 512 levels;
    ///   other errors of the type.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let segment = try EncodingSegment(self)
        do {
            try segment.write(value, .none)
        } catch {
            throw segment.located(error, nil)
        }
        return try segment.data()
    }
}

extension EncodingSegment {
    /// The text of the outermost segment.
    fileprivate func data() throws -> Data {
        if holes.isEmpty {
            try close()
        } else {
            var output = try ByteBuffer(capacity: buffer.count + 64 * holes.count)
            try finish(into: &output)
            swap(&output, &buffer)
        }
        guard mayHaveDuplicates || !coding.format.isEmpty else { return buffer.takeCompactData() }
        return try JSONFormatter(buffer.takeData(), coding.format).data()
    }
}

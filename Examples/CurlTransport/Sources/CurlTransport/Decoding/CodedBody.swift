/// A coded response body: its decoder, and the received bytes that wait to be decoded.
struct CodedBody {
    private let decoder: any ContentDecoder
    private var input: [UInt8] = []
    /// The number of bytes of ``input`` that the decoder has taken.
    private var position = 0
    /// True when the decoder may have further output for the bytes that it got.
    private var hasOutput = false

    init(_ decoder: any ContentDecoder) { self.decoder = decoder }

    /// True while received bytes wait to be decoded.
    var isPending: Bool { hasOutput || position < input.count }

    /// True where the body may end.
    var isComplete: Bool { decoder.isComplete }

    /// The number of coded bytes that ``decode(into:)`` takes at most: as many empty members of gzip take a
    /// millisecond.
    private static let maximumInput = 1 << 10

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if position == input.count {
            input.removeAll(keepingCapacity: true)
            position = 0
        }
        input.append(contentsOf: bytes)
    }

    /// Decodes some of the pending bytes.
    /// - Returns: the number of decoded bytes; may be 0.
    /// - Throws: ``InvalidCoding``; then nothing is pending.
    mutating func decode(into output: UnsafeMutableRawBufferPointer) throws(InvalidCoding) -> Int {
        let result = input.withUnsafeBytes { bytes in
            let end = min(bytes.count, position + Self.maximumInput)
            var rest = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
            return Result { () throws(InvalidCoding) in
                let count = try decoder.decode(&rest, into: output)
                return (count, consumed: end - position - rest.count)
            }
        }
        do throws(InvalidCoding) {
            let (count, consumed) = try result.get()
            // A decoder must make progress, or this would not end.
            if count == 0, consumed == 0, position < input.count { throw InvalidCoding() }
            position += consumed
            hasOutput = count == output.count
            return count
        } catch {
            (input, position, hasOutput) = ([], 0, false)
            throw error
        }
    }
}

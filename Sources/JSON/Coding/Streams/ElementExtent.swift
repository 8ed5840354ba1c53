/// Finds the end of a value that arrives in several chunks, looking at each byte once: of an element, or of a string or
/// number outside the array.
///
/// Checks no grammar: the end of a valid value is where this says. What an invalid one contains is found by the
/// scanner, once the end is there.
struct ElementExtent {
    /// Offset of the next byte, from the start of the value.
    private var offset = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Looks at the rest of the bytes of a value.
    /// - Returns: true if the value ends within them.
    mutating func isComplete(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        while offset < bytes.count {
            let byte = bytes[offset]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return true }
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth <= 0 { return true }
                case UInt8(ascii: ","):
                    if depth == 0 { return true }
                default:
                    // The end of a number or a word.
                    if depth == 0, offset > 0, byte.isJSONWhitespace { return true }
                }
            }
            offset += 1
        }
        return false
    }
}

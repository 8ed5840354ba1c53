import HTTPMessages

/// The end of a JSON text in a sequence, found by nesting and strings without parsing it.
struct JSONTextExtent: Sendable {
    /// What ends a text: a blank outside of all values, or the record separator of the next text.
    enum End { case blank, separator }

    static let separator: UInt8 = 0x1E

    private(set) var hasContent = false
    private var isContainerOrString = false
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// True if the text is a complete array, object or string. A number without a blank after it may be cut off.
    var isSelfDelimiting: Bool { isContainerOrString && depth <= 0 && !isInString }

    /// Returns the bytes that belong to the text, and the kind of its end, which is not consumed; nil without one.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) -> (count: Int, end: End?) {
        for (index, byte) in bytes.enumerated() {
            if byte == Self.separator { return (index, .separator) }
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            if byte.isJSONWhitespace {
                if hasContent, depth <= 0 { return (index, .blank) }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if !hasContent { isContainerOrString = isInString || depth > 0 }
            hasContent = true
        }
        return (bytes.count, nil)
    }
}

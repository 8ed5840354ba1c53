import Foundation
import HTTPMessages

/// The lines of a part's fields (RFC 2045 and 5322), without the blank line at their end.
struct MultipartFields {
    /// What is wrong, and where in the block.
    struct Problem: Error {
        let text: String
        let offset: Int
    }

    private(set) var fields = HTTPFields()

    /// - Parameter delimiter: the start of lines that are not fields, even with a colon.
    init(_ block: Data, delimiter: some Collection<UInt8>) throws(Problem) {
        // The current field and the offset of its line; continued lines are joined to it.
        var current: (name: Substring, value: String, offset: Int)?
        var offset = 0
        for line in block.split(separator: 0x0A, omittingEmptySubsequences: false) {
            defer { offset += line.count + 1 }
            let bytes = line.last == 0x0D ? line.dropLast() : line
            guard !bytes.isEmpty else { continue }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Problem(text: "is not valid UTF-8", offset: offset)
            }
            if bytes.first?.isHTTPWhitespace == true {
                guard current != nil else {
                    throw Problem(text: "starts with a blank but continues no other line", offset: offset)
                }
                current?.value += " " + text.trimmingHTTPWhitespace
                continue
            }
            try append(current)
            guard !bytes.starts(with: delimiter) else {
                throw Problem(text: "starts with the boundary", offset: offset)
            }
            guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw Problem(text: "has no colon", offset: offset)
            }
            current = (text[..<colon], String(text[colon...].dropFirst()), offset)
        }
        try append(current)
    }

    private mutating func append(_ field: (name: Substring, value: String, offset: Int)?) throws(Problem) {
        guard let field else { return }
        do {
            try fields.append(String(field.name), field.value.trimmingHTTPWhitespace)
        } catch {
            let isName = error.code == .invalidFieldName
            throw Problem(
                text: isName ? "has a name that is not a token" : "has a value with a control character",
                offset: field.offset)
        }
    }
}

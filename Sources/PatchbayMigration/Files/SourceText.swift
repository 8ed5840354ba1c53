import Foundation

/// The text of a source file as UTF-8, or why it has none.
enum SourceText {
    case text([UInt8], SourceProblem?)
    case unreadable(String)

    /// Bytes of a file that are read; a longer file is no source code.
    static let maximumBytes = 8 << 20

    /// Takes UTF-8, also if some of it is invalid, and UTF-16. Other bytes with zeros are not text.
    init(_ data: Data) {
        let start = Array(data.prefix(4))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .text(Array(data.dropFirst(3)), nil)
        } else if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            self = Self.utf16(data.dropFirst(2), isLittleEndian: start[0] == 0xFF)
        } else if start.count == 4, start[0] == 0 || start[1] == 0, start[0] != 0 || start[1] != 0 {
            // UTF-16 without a mark: code begins with ASCII.
            self = Self.utf16(data, isLittleEndian: start[1] == 0)
        } else if data.contains(0) {
            self = .unreadable("not text: it contains zero bytes")
        } else {
            let bytes = Array(data)
            let problem =
                String(validating: bytes, as: UTF8.self) == nil
                ? SourceProblem(line: 0, text: "invalid UTF-8; read as far as possible") : nil
            self = .text(bytes, problem)
        }
    }

    private static func utf16(_ data: Data, isLittleEndian: Bool) -> SourceText {
        let bytes = Array(data)
        let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map { index in
            isLittleEndian
                ? UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
                : UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        }
        let text = String(decoding: units, as: UTF16.self)
        guard !text.utf8.contains(0) else { return .unreadable("not text: it contains zero characters") }
        return .text(Array(text.utf8), nil)
    }
}

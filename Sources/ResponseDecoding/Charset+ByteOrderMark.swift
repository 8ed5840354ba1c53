import Foundation

extension Charset {
    /// The charset of a leading byte order mark, and the length of the mark in bytes.
    static func byteOrderMark(in bytes: Data) -> (charset: Charset, length: Int)? {
        // Fast path: nearly every body starts with an ASCII character.
        guard let first = bytes.first, first >= 0xEF else { return nil }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BE, 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LE, 2) }
        return nil
    }
}

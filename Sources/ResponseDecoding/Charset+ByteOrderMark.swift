import Foundation

extension Charset {
    /// The charset that the first bytes of a text announce, and how many bytes do so.
    static func ofByteOrderMark(in bytes: Data) -> (charset: Charset, length: Int)? {
        // Nearly every body starts with a letter or a bracket; look no further then.
        guard let first = bytes.first, first >= 0xEF else { return nil }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BE, 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LE, 2) }
        return nil
    }
}

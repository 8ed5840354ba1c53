import Foundation
import HTTPMessages
import Synchronization

/// The names of fields and parameters that a redaction takes for secret, with a memo.
///
/// There are few names, and a check costs more than all else that is done with a field.
final class SecretNames: Sendable {
    private static let maximumChecked = 1_000
    /// The longest name that is noted, in bytes: servers and queries have names of any length.
    private static let maximumLength = 64

    private let redaction: Redaction
    private let checked = Mutex([String: Bool]())

    init(_ redaction: Redaction) { self.redaction = redaction }

    /// The names of ``Redaction/standard``.
    static let standard = SecretNames(.standard)

    func contains(_ name: String) -> Bool {
        guard name.utf8.count <= Self.maximumLength else { return redaction.isSecret(name) }
        if let known = checked.withLock({ $0[name] }) { return known }
        let isSecret = redaction.isSecret(name)
        checked.withLock { checked in
            if checked.count >= Self.maximumChecked { checked = [:] }
            checked[name] = isSecret
        }
        return isSecret
    }

    /// True if a URL with a query has no secret; false if that takes more than a look at the names in it.
    func isKnownPlain(_ url: String) -> Bool {
        let text = url.utf8
        guard !url.hasByte(of: "#@(;"), let mark = text.firstIndex(of: UInt8(ascii: "?")),
            !text[..<mark].contains(UInt8(ascii: "%"))
        else { return false }
        return text[text.index(after: mark)...].split(separator: UInt8(ascii: "&")).allSatisfy { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return true }
            let name = pair[..<equals]
            return !name.contains(UInt8(ascii: "%")) && !contains(String(Substring(name)))
        }
    }
}

extension String {
    /// True if the text has one of some ASCII characters; a generic search costs each look-up more than all its locks.
    func hasByte(of characters: StaticString) -> Bool {
        utf8.withContiguousStorageIfAvailable { text in
            guard let start = text.baseAddress else { return false }
            return characters.withUTF8Buffer { $0.contains { memchr(start, CInt($0), text.count) != nil } }
        } ?? characters.withUTF8Buffer { wanted in utf8.contains { wanted.contains($0) } }
    }
}

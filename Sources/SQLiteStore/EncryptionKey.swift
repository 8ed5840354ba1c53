public import PatchbayErrors
import StoreCore
import Synchronization

/// Passphrase of an encrypted database file; never shown in descriptions.
public struct EncryptionKey: Hashable, Sendable, ExpressibleByStringLiteral, RedactedStringConvertible {
    let text: String

    /// The passphrase as an SQL string.
    var quoted: String {
        // By bytes: a quote before a combining mark is no `Character` of its own.
        "'" + String(decoding: text.utf8.flatMap { $0 == UInt8(ascii: "'") ? [$0, $0] : [$0] }, as: UTF8.self) + "'"
    }

    /// A passphrase. An empty one equals ``unencrypted``.
    public init(_ text: String) { self.text = text }
    /// A passphrase.
    public init(stringLiteral value: String) { self.init(value) }

    /// No encryption.
    public static let unencrypted = EncryptionKey("")

    /// `no key` or `a key`.
    public var description: String { text.isEmpty ? "no key" : "a key" }
}

/// Key for a store's new connections, which changes with ``SQLiteStore/changeKey(to:)``.
final class CurrentKey: Sendable {
    private let key: Mutex<EncryptionKey>

    init(_ key: EncryptionKey) { self.key = Mutex(key) }

    var value: EncryptionKey { key.withLock { $0 } }

    func replace(with new: EncryptionKey) { key.withLock { $0 = new } }
}

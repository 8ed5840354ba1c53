import LocalStore

/// Passphrase of an encrypted database file; never shown in descriptions.
public struct EncryptionKey: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomReflectable
{
    let text: String

    /// A passphrase. An empty one equals ``none``.
    public init(_ text: String) { self.text = text }
    /// A passphrase.
    public init(stringLiteral value: String) { self.init(value) }

    /// No encryption.
    public static let none = EncryptionKey("")

    /// `no key` or `a key`.
    public var description: String { text.isEmpty ? "no key" : "a key" }
    /// Shows only the description.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}

/// The name of a table or a column. Two names are the same when they differ only in the case of ASCII letters, as in
/// SQLite.
///
/// ```swift
/// SQLIdentifier("Jacks") == "jacks"
/// ```
public struct SQLIdentifier: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it was written, without quotes.
    public let text: String

    /// A name, without quotes. Any text will do; the stores refuse one that is empty or holds NUL.
    public init(_ text: String) { self.text = text }
    /// A name, without quotes.
    public init(stringLiteral value: String) { self.init(value) }

    /// The name as it was written.
    public var description: String { text }
    /// The name in double quotes, ready to stand in a statement.
    public var quoted: String {
        "\""
            + text.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }

    /// True for a name that a store takes.
    public var isValid: Bool { !text.isEmpty && !text.utf8.contains(0) }

    /// With this the names start of the tables that are the project's own, such as those in which a ``DeltaApplier``
    /// keeps what it knows.
    static let reservedPrefix = "patchbay_"

    /// True for the name of a table of the project's own, in any case of the letters.
    var isReserved: Bool {
        text.utf8.count >= Self.reservedPrefix.utf8.count
            && zip(text.utf8, Self.reservedPrefix.utf8).allSatisfy { Self.lowercase($0) == $1 }
    }

    /// Compares the names byte by byte, with ASCII letters in lower case.
    public static func == (one: SQLIdentifier, other: SQLIdentifier) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8) { lowercase($0) == lowercase($1) }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(Self.lowercase(byte)) }
        hasher.combine(UInt8(0))
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

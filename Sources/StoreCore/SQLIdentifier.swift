/// Name of a table or a column; equality ignores the case of ASCII letters, as in SQLite.
///
/// ```swift
/// SQLIdentifier("Jacks") == "jacks"
/// ```
public struct SQLIdentifier: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it was written, without quotes.
    public let text: String

    /// A name, without quotes. Any text is accepted here; stores refuse an empty name or one that contains NUL.
    public init(_ text: String) { self.text = text }
    /// A name, without quotes.
    public init(stringLiteral value: String) { self.init(value) }

    /// The name as it was written.
    public var description: String { text }
    /// The name in double quotes, escaped for use in a statement.
    public var quoted: String {
        // By scalars: as a character, a quote before a combining mark is no quote, but it still ends a name in SQL.
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// True for a name that stores accept: not empty, and without NUL.
    public var isValid: Bool { !text.isEmpty && !text.utf8.contains(0) }

    /// Name prefix of the project's own tables, such as the version table of `DeltaApplier`.
    package static let reservedPrefix = "patchbay_"

    /// True for a name with ``reservedPrefix``, in any case.
    package var isReserved: Bool {
        text.utf8.count >= Self.reservedPrefix.utf8.count
            && zip(text.utf8, Self.reservedPrefix.utf8).allSatisfy { Self.lowercase($0) == $1 }
    }

    /// Compares bytes, ignoring the case of ASCII letters.
    public static func == (one: SQLIdentifier, other: SQLIdentifier) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8) { lowercase($0) == lowercase($1) }
    }

    /// Hashes the bytes with ASCII letters in lower case, consistent with `==`.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(Self.lowercase(byte)) }
        hasher.combine(UInt8(0))
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

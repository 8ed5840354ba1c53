public import Foundation

extension SQLiteStore {
    /// Collation of the app: an order of text; see ``Configuration/collations``.
    ///
    /// ```swift
    /// configuration.collations = [.unicodeNoCase, .init("byLength") { left, right in
    ///     left.count < right.count ? .orderedAscending : left.count > right.count ? .orderedDescending : .orderedSame
    /// }]
    /// let rows = try store.rows("SELECT name FROM person ORDER BY name COLLATE unicodeNoCase")
    /// ```
    ///
    /// SQLite calls it on the thread of the statement. It must be a consistent total order that never changes, since
    /// indexes are stored in it; after a change run `REINDEX`.
    public struct Collation: Sendable {
        /// The name, ignoring the case of ASCII letters; not one of SQLite's own.
        public let name: String
        let compare: @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ComparisonResult

        /// Creates a collation.
        /// - Parameter compare: compares two texts, in which invalid UTF-8 is replaced by U+FFFD.
        public init(_ name: String, compare: @escaping @Sendable (String, String) -> ComparisonResult) {
            self.init(bytesOf: name) { left, right in
                compare(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
            }
        }

        /// - Parameter compare: compares the UTF-8 of two texts.
        init(
            bytesOf name: String,
            _ compare:
                @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) ->
                ComparisonResult
        ) {
            self.name = name
            self.compare = compare
        }

        /// `unicodeNoCase`: ignores the case of all letters, where SQLite's `NOCASE` ignores that of ASCII letters.
        ///
        /// Texts are mapped to upper case, then to lower case, and compared by their canonical form (NFC), so `É`
        /// equals `e` with a combining accent, and `ß` equals `SS`. The order is the same on every platform and does
        /// not depend on a language.
        public static let unicodeNoCase = Collation(bytesOf: "unicodeNoCase") { UnicodeNoCase.compare($0, $1) }
    }
}

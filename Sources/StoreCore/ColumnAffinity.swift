/// Type affinity of a column: how it converts stored values (sqlite.org/datatype3.html, section 3).
public enum ColumnAffinity: Hashable, Sendable {
    /// Numbers become text.
    case text
    /// Numeric text becomes a number. Differs from ``integer`` only in a CAST.
    case numeric
    /// Numeric text becomes a number, and a whole real number becomes an integer.
    case integer
    /// As ``numeric``, and integers become real.
    case real
    /// No conversion. The affinity of a column without a type.
    case blob

    /// Derives the affinity of a declared type by section 3.1: the first match wins, ignoring case.
    ///
    /// Contains `INT`: integer. `CHAR`, `CLOB` or `TEXT`: text. `BLOB` or no type: blob. `REAL`, `FLOA` or `DOUB`:
    /// real. Otherwise numeric.
    public init(declaredType: String) {
        let type = Array(declaredType.asciiLowercased.utf8)
        func holds(_ words: String...) -> Bool {
            words.contains { word in
                type.indices.contains { type[$0...].starts(with: word.utf8) }
            }
        }
        self =
            if holds("int") {
                .integer
            } else if holds("char", "clob", "text") {
                .text
            } else if type.isEmpty || holds("blob") {
                .blob
            } else if holds("real", "floa", "doub") {
                .real
            } else {
                .numeric
            }
    }
}

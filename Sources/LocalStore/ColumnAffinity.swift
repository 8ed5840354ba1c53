/// What a column makes of the values that are stored in it (sqlite.org/datatype3.html, section 3).
public enum ColumnAffinity: Hashable, Sendable {
    /// Numbers become text.
    case text
    /// Text that is a number becomes one; as ``integer``, save in a CAST.
    case numeric
    /// Text that is a number becomes one, and a real number that is whole becomes an integer.
    case integer
    /// As ``numeric``, and integers become real.
    case real
    /// Values stay as they are. The affinity of a column without a type.
    case blob

    /// The affinity of a declared type, by the rules of section 3.1: the first of `INT`, then `CHAR`, `CLOB` or `TEXT`,
    /// then `BLOB` or no type, then `REAL`, `FLOA` or `DOUB` that the type's name holds, in any case; else numeric.
    public init(declaredType: String) {
        let type = declaredType.uppercased()
        func holds(_ words: String...) -> Bool { words.contains { type.contains($0) } }
        self =
            if holds("INT") {
                .integer
            } else if holds("CHAR", "CLOB", "TEXT") {
                .text
            } else if type.isEmpty || holds("BLOB") {
                .blob
            } else if holds("REAL", "FLOA", "DOUB") {
                .real
            } else {
                .numeric
            }
    }
}

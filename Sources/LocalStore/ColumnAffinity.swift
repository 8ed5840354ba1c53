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

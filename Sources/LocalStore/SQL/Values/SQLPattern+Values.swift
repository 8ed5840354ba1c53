import StoreCore

extension SQLPattern {
    /// SQLite's limit of a pattern's length, in bytes.
    static let maximumLength = 50_000

    private static func checkLength(_ pattern: SQLValue) throws(StoreError) {
        guard pattern.textValue?.count ?? 0 <= maximumLength else {
            throw StoreError(.tooLarge, "LIKE or GLOB pattern too complex: more than \(maximumLength) bytes")
        }
    }

    /// Evaluates LIKE or GLOB; nil for unknown.
    /// - Parameter escape: the value after ESCAPE; nil if there is none.
    static func matches(
        _ style: Style, _ value: SQLValue, _ pattern: SQLValue, escape: SQLValue?
    ) throws(StoreError) -> Bool? {
        // This depends on SQLite's build options; as in Debian's build, a blob matches nothing.
        if value.isBlob || pattern.isBlob { return false }
        var escapeCharacter: ArraySlice<UInt8> = []
        if let escape {
            guard let text = escape.textValue else { return nil }
            guard SQLCharacters.count(text) == 1 else {
                throw StoreError(.failed, "ESCAPE expression must be a single character")
            }
            escapeCharacter = text
        }
        try checkLength(pattern)
        guard let text = value.textValue, let pattern = pattern.textValue else { return nil }
        switch style {
        case .glob: return glob(pattern.upToNUL, text.upToNUL)
        case .like:
            return pattern.upToNUL.withUnsafeBytes { pattern in
                text.upToNUL.withUnsafeBytes { text in
                    escapeCharacter.withUnsafeBytes { like(pattern, text, escape: $0) }
                }
            }
        }
    }
}

extension SQLPattern {
    /// What `LIKE` or `GLOB` says of two values; nil for unknown.
    /// - Parameter escape: the value behind ESCAPE; nil when there is none.
    static func matches(
        _ style: Style, _ value: SQLValue, _ pattern: SQLValue, escape: SQLValue?
    ) throws(StoreError) -> Bool? {
        // SQLite is built in two ways here. This is the one of Debian: a blob is like nothing.
        if value.isBlob || pattern.isBlob { return false }
        var mark: ArraySlice<UInt8> = []
        if let escape {
            guard let text = escape.textValue else { return nil }
            guard text.count(where: { $0 & 0xC0 != 0x80 }) == 1 else {
                throw StoreError(.failed, "What stands behind ESCAPE has to be one character.")
            }
            mark = text
        }
        guard let text = value.textValue, let pattern = pattern.textValue else { return nil }
        switch style {
        case .glob: return glob(pattern.upToNUL, text.upToNUL)
        case .like:
            return pattern.upToNUL.withUnsafeBytes { pattern in
                text.upToNUL.withUnsafeBytes { text in
                    mark.withUnsafeBytes { like(pattern, text, escape: $0) }
                }
            }
        }
    }
}

extension StoreCoding.Keys {
    /// The key of a column: the reverse of ``columnName(of:)``, which a name with several capital letters in a row does
    /// not have (`source_url` is `sourceUrl`).
    func key(ofColumn name: String) -> String {
        guard self == .snakeCase else { return name }
        let words = name.split(separator: "_")
        guard let first = words.first, let last = words.last else { return name }
        // Underscores at the start and at the end are kept.
        let key = first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return "\(name[..<first.startIndex])\(key)\(name[last.endIndex...])"
    }
}

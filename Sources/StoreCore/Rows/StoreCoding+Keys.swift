extension StoreCoding.Keys {
    /// The name of the column of a property.
    ///
    /// Snake case puts `_` before each upper-case letter that follows another letter or a digit, and before the last
    /// one of several when a lower-case letter follows it: `sourceURLString` is `source_url_string`.
    func columnName(of key: String) -> String {
        guard self == .snakeCase else { return key }
        let characters = Array(key)
        var name = ""
        for (index, character) in characters.enumerated() {
            if character.isUppercase, index > 0, characters[index - 1] != "_" {
                let endsWord = index + 1 < characters.count && characters[index + 1].isLowercase
                if !characters[index - 1].isUppercase || endsWord { name += "_" }
            }
            name += character.lowercased()
        }
        return name
    }
}

/// A module's name: letters and digits of ASCII, at least one.
struct ModuleID: Hashable, Sendable {
    let text: String

    /// - Throws: ``ORASettingsError`` (`invalidModuleID`).
    init(_ text: String?) throws(ORASettingsError) {
        guard let text, !text.isEmpty else {
            throw ORASettingsError(.invalidModuleID, "The container has no module id; override getModuleId().")
        }
        guard text.unicodeScalars.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || $0.isDigit) }) else {
            throw ORASettingsError(
                .invalidModuleID, "A module id is made of the letters A to Z and a to z and of digits; this one is not."
            )
        }
        self.text = text
    }
}

/// What a value is stored under.
struct ModuleKey: Hashable, Sendable {
    let module: ModuleID
    let key: String
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

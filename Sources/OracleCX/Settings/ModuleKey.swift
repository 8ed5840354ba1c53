/// A module identifier: one or more ASCII letters and digits.
struct ModuleID: Hashable, Sendable {
    let text: String

    /// - Throws: ``ORASettingsError`` (`invalidModuleID`).
    init(_ text: String?) throws(ORASettingsError) {
        guard let text, !text.isEmpty else {
            throw ORASettingsError(.invalidModuleID, "The container has no module id; override getModuleId().")
        }
        guard text.unicodeScalars.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || $0.isDigit) }) else {
            throw ORASettingsError(
                .invalidModuleID, "Invalid module id: use only the letters A-Z and a-z and the digits 0-9.")
        }
        self.text = text
    }
}

/// The key of a stored value.
struct ModuleKey: Hashable, Sendable {
    let module: ModuleID
    let key: String
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

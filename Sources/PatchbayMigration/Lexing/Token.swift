/// One word or sign of source code, without comments and the text of string literals.
struct Token: Equatable {
    enum Kind: Equatable {
        case word
        case sign(UInt8)
        case string
    }

    var kind: Kind
    /// The text of a word, without back-quotes, or of a string literal without its quotes; empty for signs.
    var text: String
    /// Counted from 1.
    var line: Int
    /// Whether the token is the first one on its line.
    var startsLine = false

    func isSign(_ character: Unicode.Scalar) -> Bool { kind == .sign(UInt8(character.value)) }
    var isWord: Bool { kind == .word }
}

/// The language of a source file, by its extension.
package enum SourceLanguage: Sendable {
    case swift
    case objectiveC

    package init?(fileExtension: Substring) {
        switch fileExtension.lowercased() {
        case "swift": self = .swift
        case "m", "mm", "h": self = .objectiveC
        default: return nil
        }
    }
}

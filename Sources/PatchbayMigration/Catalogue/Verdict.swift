/// What becomes of one call when the app moves to the module.
package enum Verdict: Equatable, Hashable, Sendable {
    case works
    /// Works after a change, which the section of the guide at `link` describes.
    case otherwise(link: String, text: String)
    /// Does not exist; the text says what to do.
    case missing(link: String, text: String)
    /// May be a call into the SDK: the receiver's type is not in the file.
    case ambiguous(text: String)

    /// The word for it in reports.
    package var kind: Kind {
        switch self {
        case .works: .works
        case .otherwise: .otherwise
        case .missing: .missing
        case .ambiguous: .ambiguous
        }
    }

    /// The module that the file must import for a name, in a note that starts with `import`.
    var module: String? {
        guard case .otherwise(_, let text) = self, text.hasPrefix("import ") else { return nil }
        return String(text.dropFirst(7).prefix { $0 != " " })
    }

    /// The four kinds, in the order of a report.
    package enum Kind: String, CaseIterable, Sendable, Encodable {
        case missing
        case otherwise = "works otherwise"
        case ambiguous
        case works
    }
}

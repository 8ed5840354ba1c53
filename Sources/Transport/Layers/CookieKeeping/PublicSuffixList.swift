import Foundation
import HTTPMessages

/// The rules of a public suffix list, in ASCII.
///
/// Format: one rule a line, up to the first blank; `//` starts a comment, `*.` a wildcard for one label, `!` an
/// exception from a wildcard.
struct PublicSuffixList: Sendable {
    private var names: Set<String> = []
    /// The parents of wildcards.
    private var parents: Set<String> = []
    private var exceptions: Set<String> = []

    init(_ data: Data) throws(HTTPMessageError) {
        for (index, line) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let rule = line.prefix { $0 > 0x20 }
            guard !rule.isEmpty, !rule.starts(with: "//".utf8) else { continue }
            guard let text = String(validating: rule, as: UTF8.self), insert(text.lowercased()) else {
                throw HTTPMessageError(
                    .invalidSuffixList,
                    "Line \(index + 1) of the public suffix list is not a rule; get the list from publicsuffix.org.")
            }
        }
        guard !names.isEmpty else {
            throw HTTPMessageError(
                .invalidSuffixList, "Public suffix list has no rules; get the list from publicsuffix.org.")
        }
    }

    private mutating func insert(_ rule: String) -> Bool {
        let kind = rule.hasPrefix("!") ? 1 : rule.hasPrefix("*.") ? 2 : 0
        guard let name = Punycode.asciiName(rule.dropFirst(kind)) else { return false }
        switch kind {
        case 0: names.insert(name)
        case 1: exceptions.insert(name)
        default: parents.insert(name)
        }
        return true
    }

    /// True if a rule matches the whole name.
    func contains(_ name: String) -> Bool {
        guard !exceptions.contains(name) else { return false }
        if names.contains(name) { return true }
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
        return parents.contains(String(name[dot...].dropFirst()))
    }
}

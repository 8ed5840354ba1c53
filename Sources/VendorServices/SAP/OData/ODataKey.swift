import Foundation
import HTTPMessages

/// Keys of entities in paths: `Flights('LH400')`. A quote within a key is doubled.
enum ODataKey {
    /// The key of a decoded segment such as `Flights('LH400')`; nil for another set or a malformed key.
    static func parse(_ segment: String, of set: String) -> String? {
        guard segment.hasPrefix(set + "('"), segment.hasSuffix("')"), segment.count >= set.count + 5 else { return nil }
        let quoted = segment.dropFirst(set.count + 2).dropLast(2)
        guard quoted.replacing("''", with: "").contains("'") == false else { return nil }
        return String(quoted.replacing("''", with: "'"))
    }

    /// A key as part of a URL: `('LH400')`, percent-encoded.
    static func text(_ key: String) -> String {
        let doubled = key.replacing("'", with: "''")
        return "('\(doubled.percentEncoded(except: UnescapedCharacters(alphanumericsAnd: "-._~'")))')"
    }
}

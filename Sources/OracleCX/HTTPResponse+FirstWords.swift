import Foundation
import HTTPMessages
import ResponseDecoding

extension HTTPResponse {
    /// The start of a text body in one line, without secrets; empty for a body that is not text.
    /// - Parameter limit: the most characters.
    func firstWords(_ limit: Int) -> String {
        // A character of the charsets in use takes at most four bytes; blanks are joined, so some more are read.
        let isCut = body.count > limit * 8
        let start = HTTPResponse(head: head, body: body.prefix(limit * 8))
        guard var text = try? TextResponseDecoder(invalidBytes: .replaced).decode(start) else { return "" }
        // The cut may be inside a character.
        while isCut, text.last == "\u{FFFD}" { text.removeLast() }
        let isText = !text.unicodeScalars.contains {
            $0 == "\u{FFFD}" || $0.value < 0x20 && !$0.properties.isWhitespace
        }
        guard isText else { return "" }
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(Self.hidingSecrets(in: line).prefix(limit))
    }

    /// The text with `<redacted>` for the values of names such as `token`, in JSON and in forms.
    private static func hidingSecrets(in text: String) -> String {
        let pair =
            #/
            (?<quote>["']?) (?<name>[A-Za-z0-9_.\-]+) \k<quote> \s* [:=] \s*
            (?<value> "(?:[^"\\]|\\.)*"? | '[^']*'? | (?:(?i:bearer|basic|digest)\s+)? [^\s&,;<>{}\[\]"']+ )
            /#
        return text.replacing(pair) { match in
            guard Redaction.standard.isSecret(String(match.name)) else { return String(match.0) }
            return String(match.0.dropLast(match.value.count)) + Redaction.mark
        }
    }
}

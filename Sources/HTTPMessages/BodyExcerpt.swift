package import Foundation

/// The start of a body as an error shows it: text only, in one line, without secrets.
///
/// Servers say in the body of an error what is wrong, so the text of an error holds that. The values of what a name calls
/// secret (``Redaction``), such as `token` in JSON, in a form or in XML, are left out.
package enum BodyExcerpt {
    /// In the body of an error, `code` is the kind of error; elsewhere it may be a code to log in with.
    private static let redaction = Redaction(words: Redaction.standard.words.subtracting(["code"]))

    /// The first characters of a text body.
    /// - Parameters:
    ///   - body: the body, or its start.
    ///   - limit: the most characters.
    /// - Returns: nil for a body that is empty or not text.
    package static func text(of body: Data, as mediaType: MediaType?, limit: Int = 200) -> String? {
        guard let text = text(of: body.prefix(4096), isText: mediaType?.type == "text") else { return nil }
        let printable = text.unicodeScalars.filter {
            $0.properties.isWhitespace || ![.control, .format].contains($0.properties.generalCategory)
        }
        let line = String(String.UnicodeScalarView(printable)).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        guard !line.isEmpty else { return nil }
        let shown = redacted(line)
        return shown.count > limit ? shown.prefix(limit) + "…" : shown
    }

    /// UTF-8, or the one-byte charset of old servers where the media type says that it is text.
    private static func text(of start: Data, isText: Bool) -> String? {
        guard !start.contains(0) else { return nil }
        // The last character may be cut.
        for length in (max(0, start.count - 3)...start.count).reversed() {
            if let text = String(data: start.prefix(length), encoding: .utf8) { return text }
        }
        return isText ? String(data: start, encoding: .isoLatin1) : nil
    }

    private static func redacted(_ line: String) -> String {
        let name = #/(?<name>[\w.\-]+)(?:\\*["']?\s*[:=]\s*|(?:\s[^<>]*)?>)/#
        // In quotes, in escaped quotes, in brackets (to the end of the line), or up to a separator.
        let value =
            #/\\+"[^"\\]*(?:\\+")?|"(?:[^"\\]|\\.)*"?|'[^']*'?|[\[{].*|(?:(?i:Bearer|Basic|Digest|Token)\s+)?[^\s&,;"'<>}\]\\]+/#
        let element = #/[^<]+/#
        let scheme = #/(?<name>\b(?i:Bearer|Basic|Digest)\s+)[A-Za-z0-9+\/=._~\-]{8,}/#
        var shown = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: name) {
            shown += rest[..<match.range.upperBound]
            rest = rest[match.range.upperBound...]
            guard redaction.isSecret(String(match.name)) else { continue }
            let secret = match.0.last == ">" ? rest.prefixMatch(of: element)?.range : rest.prefixMatch(of: value)?.range
            if let secret {
                shown += Redaction.mark
                rest = rest[secret.upperBound...]
            }
        }
        return (shown + rest).replacing(scheme) { "\($0.name)\(Redaction.mark)" }
    }
}

extension HTTPResponse {
    /// The first 200 characters of a text body in one line, without secrets; nil for any other body.
    package var excerpt: String? { BodyExcerpt.text(of: body, as: mediaType) }
}

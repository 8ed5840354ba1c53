package import Foundation

/// The start of a text body on one line, with secrets redacted, for error descriptions.
///
/// The value of each JSON member, form parameter or XML element whose name is secret (``Redaction``), such as `token`,
/// is replaced by a placeholder, as are secret keys of entities.
package enum BodyExcerpt {
    private static let redaction = Redaction.standard.forResponseBodies

    /// Returns the first characters of a text body.
    /// - Parameters:
    ///   - body: the body, or its start; only the first 4 KiB are read, or as many bytes as the limit.
    ///   - limit: maximum number of characters.
    ///   - isCut: true if the body is the start of a longer one.
    ///   - redaction: by default the standard one without `code`.
    /// - Returns: nil for a body that is empty or not text.
    package static func text(
        of body: Data, as mediaType: MediaType?, limit: Int = 200, isCut: Bool = false, redaction: Redaction? = nil
    ) -> String? {
        let redaction = redaction ?? self.redaction
        var start = body.prefix(max(limit, 4096))
        let isCut = isCut || start.count < body.count
        // Behind the cut may be the at sign that ends the user of a URL.
        if isCut { start = start.withoutPartOfCharacter + [UInt8(ascii: "@")] }
        let isForm = mediaType?.essence == "application/x-www-form-urlencoded"
        // By the names of parts and members, which are not before their values on one line, or have any character.
        if isForm || mediaType?.type == "multipart" || !isCut && mediaType?.isJSON != false {
            start = redaction.redacted(body: Data(start), as: mediaType)
        }
        guard let text = text(of: start, isText: mediaType?.type == "text") else { return nil }
        var shown = redaction.redacted(line: text)
        if isCut, shown.unicodeScalars.last == "@" { shown.unicodeScalars.removeLast() }
        guard !shown.isEmpty else { return nil }
        let excerpt = shown.prefix(limit)
        return excerpt.endIndex < shown.endIndex ? excerpt + "…" : shown
    }

    /// Decodes as UTF-8, or as ISO 8859-1 if the media type is `text/*`, for servers that omit the charset.
    private static func text(of start: Data, isText: Bool) -> String? {
        guard !start.withUnsafeBytes({ $0.contains(0) }) else { return nil }
        return String(data: start, encoding: .utf8) ?? (isText ? String(data: start, encoding: .isoLatin1) : nil)
    }
}

extension Data {
    /// The bytes without an incomplete UTF-8 sequence, of up to three bytes, at the end; all if they are not UTF-8.
    fileprivate var withoutPartOfCharacter: Data {
        guard let last, last >= 0x80 else { return self }
        for length in (Swift.max(0, count - 3)...count).reversed() {
            let start = prefix(length)
            if String(data: start, encoding: .utf8) != nil { return start }
        }
        return self
    }
}

extension HTTPResponse {
    /// First 200 characters of a text body on one line, redacted; nil for any other body.
    package var excerpt: String? { BodyExcerpt.text(of: body, as: mediaType) }
}

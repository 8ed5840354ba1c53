import HTTPMessages
import PatchbayErrors

extension HAREntry: RedactedStringConvertible {
    /// The request and the status, without secrets.
    public var description: String { "\(request): \(response)" }
}

extension HARRequest: RedactedStringConvertible {
    /// The method and the redacted URL.
    public var description: String { "\(method.onOneLine) \(HARRedactor(.standard).redacted(url: url))" }
}

extension HARResponse: RedactedStringConvertible {
    /// The status, or that there was none.
    public var description: String {
        guard status != 0 else { return "no response" }
        return statusText.isEmpty ? "\(status)" : "\(status) \(statusText.onOneLine)"
    }
}

extension HARPair: RedactedStringConvertible {
    /// The name and the value; that of a secret name is redacted.
    public var description: String {
        var redactor = HARRedactor(.standard)
        return "\(name): \(redactor.redacted(value, ofField: name))"
    }
}

extension HARCookie: RedactedStringConvertible {
    /// The name.
    public var description: String { "\(name)=\(Redaction.placeholder)" }
}

extension HARPostData: RedactedStringConvertible {
    /// The media type, and how much there is of the body.
    public var description: String {
        let body = params.map { "\($0.count) parameters" } ?? "\(text?.utf8.count ?? 0) bytes of text"
        return "\(mimeType), \(body)"
    }
}

extension HARPostData.Parameter: RedactedStringConvertible {
    /// The name.
    public var description: String { "\(name)=\(Redaction.placeholder)" }
}

extension HARContent: RedactedStringConvertible {
    /// The media type and the size.
    public var description: String { "\(mimeType), \(size) bytes" }
}

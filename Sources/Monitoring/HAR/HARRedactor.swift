import Foundation
public import HTTPMessages

/// Removes the secrets of entries: from URLs, fields, cookies, parameters, bodies and error texts.
struct HARRedactor: Sendable {
    let redaction: Redaction
    private let responseRedaction: Redaction
    /// Whether a name is secret: few names are in many entries.
    private var knownNames: [String: Bool] = [:]

    init(_ redaction: Redaction) {
        self.redaction = redaction
        responseRedaction = redaction.forResponseBodies
    }

    mutating func redacted(_ entry: HAREntry) -> HAREntry {
        var entry = entry
        redact(&entry.request)
        redact(&entry.response)
        entry.comment = entry.comment.map { redaction.redacted(text: $0) }
        for index in entry.attempts.indices {
            entry.attempts[index].error = entry.attempts[index].error.map { redaction.redacted(text: $0) }
        }
        return entry
    }

    private mutating func redact(_ request: inout HARRequest) {
        request.url = redacted(url: request.url)
        redact(&request.headers)
        redact(&request.cookies)
        for index in request.queryString.indices {
            let pair = request.queryString[index]
            request.queryString[index].value = redacted(pair.value, ofParameter: pair.name)
        }
        guard var body = request.postData else { return }
        (body.text, body.encoding) = redacted(body.text, body.encoding, body.mimeType, by: redaction)
        body.params = body.params?.map { parameter in
            var parameter = parameter
            parameter.value = parameter.value.map { redacted($0, ofParameter: parameter.name) }
            return parameter
        }
        request.postData = body
    }

    private mutating func redact(_ response: inout HARResponse) {
        redact(&response.headers)
        redact(&response.cookies)
        if !response.redirectURL.isEmpty { response.redirectURL = redacted(url: response.redirectURL) }
        response.error = response.error.map { redaction.redacted(text: $0) }
        let content = response.content
        (response.content.text, response.content.encoding) = redacted(
            content.text, content.encoding, content.mimeType, by: responseRedaction)
    }

    private mutating func redact(_ fields: inout [HARPair]) {
        for index in fields.indices {
            let field = fields[index]
            fields[index].value = redacted(field.value, ofField: field.name)
        }
    }

    /// A cookie is secret by its kind; its name is not.
    private func redact(_ cookies: inout [HARCookie]) {
        for index in cookies.indices { cookies[index].value = Redaction.placeholder }
    }

    private mutating func redacted(_ value: String, ofField name: String) -> String {
        if isSecret(name) { return Redaction.placeholder }
        // Of HTTP/2 in browsers: the path with its query.
        if name == ":path" { return String(redacted(url: "http://h" + value).dropFirst(8)) }
        if let name = try? HTTPFieldName(name) {
            let changed = redaction.redacted(value, of: name)
            if changed != value { return changed }
        }
        return value.utf8.contains(where: \.maySeparate) ? redaction.redacted(text: value) : value
    }

    private mutating func redacted(_ value: String, ofParameter name: String) -> String {
        if isSecret(name) { return Redaction.placeholder }
        return value.utf8.contains(where: \.maySeparate) ? redaction.redacted(text: value) : value
    }

    private func redacted(url: String) -> String {
        // Most have no secret place: a query, a user, a fragment, or keys in parentheses.
        guard url.utf8.contains(where: { "?@#('%".utf8.contains($0) }) else { return url }
        guard let parsed = URL(string: url) ?? (try? URL(httpString: url)) else { return Redaction.placeholder }
        return redaction.thoroughlyRedacted(parsed)
    }

    private func redacted(
        _ text: String?, _ encoding: String?, _ type: String, by redaction: Redaction
    ) -> (String?, String?) {
        guard let text, !text.isEmpty else { return (text, encoding) }
        let mediaType = MediaType(parsing: type)
        guard encoding != nil else {
            return (String(decoding: redaction.redacted(body: Data(text.utf8), as: mediaType), as: UTF8.self), nil)
        }
        guard let body = try? HARContent(size: 0, mimeType: type, text: text, encoding: encoding).body() else {
            // Unreadable text may hide a secret.
            return (Redaction.placeholder, nil)
        }
        let changed = redaction.redacted(body: body, as: mediaType)
        return changed == body ? (text, encoding) : (changed.base64EncodedString(), "base64")
    }

    private mutating func isSecret(_ name: String) -> Bool {
        if let known = knownNames[name] { return known }
        let isSecret = redaction.isSecret(name)
        // A server may send any number of names.
        if knownNames.count < 1000, name.utf8.count < 100 { knownNames[name] = isSecret }
        return isSecret
    }
}

extension UInt8 {
    /// True for what is between a name and its value, or between a scheme and its credentials.
    fileprivate var maySeparate: Bool { self == 0x20 || self == UInt8(ascii: "=") || self == UInt8(ascii: ":") }
}

extension HAREntry {
    /// The entry without secrets: in URLs, fields, cookies, parameters, bodies and error texts.
    ///
    /// ``HARWriter`` writes no other entries.
    public func redacted(_ redaction: Redaction = .standard) -> HAREntry {
        var redactor = HARRedactor(redaction)
        return redactor.redacted(self)
    }
}

import Foundation
public import HTTPMessages

/// Removes the secrets of entries: from URLs, fields, cookies, parameters, bodies and error texts.
///
/// Most texts have none: a filter finds that out in one pass, and what is known of a name is kept.
struct HARRedactor: Sendable {
    private enum Kind {
        case secret, cookie, url, link, challenge, plain
    }

    private let redaction: Redaction
    private let responseRedaction: Redaction
    private let filter: SecretFilter
    /// Few names are in many entries.
    private var kinds: [String: Kind] = [:]

    init(_ redaction: Redaction) {
        self.redaction = redaction
        responseRedaction = redaction.forResponseBodies
        filter = SecretFilter(redaction)
    }

    mutating func redacted(_ entry: HAREntry) -> HAREntry {
        var entry = entry
        redact(&entry.request)
        redact(&entry.response)
        entry.comment = entry.comment.map { redacted(text: $0) }
        for index in entry.attempts.indices {
            entry.attempts[index].error = entry.attempts[index].error.map { redacted(text: $0) }
        }
        return entry
    }

    private mutating func redact(_ request: inout HARRequest) {
        request.url = redacted(url: request.url)
        redact(&request.headers)
        redact(&request.cookies)
        for index in request.queryString.indices {
            let pair = request.queryString[index]
            let value = redacted(pair.value, ofParameter: pair.name)
            if value != pair.value { request.queryString[index].value = value }
        }
        decodeBody(of: &request)
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
        response.error = response.error.map { redacted(text: $0) }
        var content = response.content
        if content.encoding != nil, let coding = response.headers.contentCoding,
            let decoded = (try? content.body())?.decoded(coding)
        {
            content = HARContent(body: decoded, mimeType: content.mimeType)
            response.content.size = content.size
        }
        (response.content.text, response.content.encoding) = redacted(
            content.text, content.encoding, content.mimeType, by: responseRedaction)
    }

    /// Decodes a compressed body, or leaves it out: it may hide a secret.
    private func decodeBody(of request: inout HARRequest) {
        guard let body = request.postData, body.encoding != nil, request.headers.contentCoding != nil else { return }
        if let bytes = try? body.body() { request.decodeBody(bytes) }
        guard let coding = request.headers.contentCoding else { return }
        request.postData?.text = nil
        request.postData?.encoding = nil
        request.postData?.comment = "Left out, since it cannot be decoded: \(coding)."
    }

    private mutating func redact(_ fields: inout [HARPair]) {
        for index in fields.indices {
            let field = fields[index]
            let value = redacted(field.value, ofField: field.name)
            if value != field.value { fields[index].value = value }
        }
    }

    /// A cookie is secret by its kind; its name is not.
    private func redact(_ cookies: inout [HARCookie]) {
        for index in cookies.indices { cookies[index].value = Redaction.placeholder }
    }

    mutating func redacted(_ value: String, ofField name: String) -> String {
        switch kind(of: name) {
        case .secret: return Redaction.placeholder
        case .cookie:
            let field: HTTPFieldName = name.lowercased() == "cookie" ? .cookie : .setCookie
            // Browsers write several of them as lines.
            return value.split(separator: "\n", omittingEmptySubsequences: false)
                .map { redaction.redacted(cookies: String($0), of: field) }.joined(separator: "\n")
        case .plain: return redacted(text: value)
        case .challenge: return redaction.redacted(value, of: .wwwAuthenticate)
        case .url:
            // The path of HTTP/2's head is one without an origin.
            guard name.hasPrefix(":") else { return redacted(url: value) }
            return String(redacted(url: "http://h" + value).dropFirst(8))
        case .link: return redaction.redacted(value, of: .link)
        }
    }

    private mutating func redacted(_ value: String, ofParameter name: String) -> String {
        let kind = kind(of: name)
        guard kind != .secret, kind != .cookie else { return Redaction.placeholder }
        // Others have no secret, and no URL that is encoded again.
        guard filter.mayFind(in: value) || value.utf8.contains(UInt8(ascii: "%")) else { return value }
        // As in the URL.
        return redaction.hasSecret(inValue: value) ? Redaction.placeholder : value
    }

    private func redacted(text: String) -> String {
        filter.mayFind(in: text) ? redaction.redacted(text: text) : text
    }

    func redacted(url: String) -> String {
        // Most have no secret place: a user, a fragment, keys in parentheses, an escape, or a name.
        guard url.utf8.contains(where: { "@#(%".utf8.contains($0) }) || filter.mayFind(in: url) else { return url }
        guard let parsed = URL(string: url) ?? (try? URL(httpString: url)) else { return Redaction.placeholder }
        return redaction.redacted(parsed)
    }

    private func redacted(
        _ text: String?, _ encoding: String?, _ type: String, by redaction: Redaction
    ) -> (String?, String?) {
        guard let text, !text.isEmpty else { return (text, encoding) }
        // The names of a form may be percent-encoded.
        if encoding == nil, !type.lowercased().contains("form"), !filter.mayFind(in: text) { return (text, nil) }
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

    private mutating func kind(of name: String) -> Kind {
        if let known = kinds[name] { return known }
        let lower = name.lowercased()
        let hasURL =
            ["location", "content-location", "referer", ":path", "origin"].contains(lower) || lower.hasSuffix("-url")
        let kind: Kind =
            switch lower {
            // A cookie is secret by any policy of an app.
            case "cookie", "set-cookie": .cookie
            case _ where redaction.isSecret(name): .secret
            case "link": .link
            case "www-authenticate", "proxy-authenticate": .challenge
            case _ where hasURL: .url
            default: .plain
            }
        // A server may send any number of names.
        if kinds.count < 1000, name.utf8.count < 100 { kinds[name] = kind }
        return kind
    }
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

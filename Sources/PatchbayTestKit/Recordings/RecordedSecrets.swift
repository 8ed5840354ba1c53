import Foundation
import HTTPMessages
import Transport

/// Removes the secrets of exchanges, and finds them where no name tells that they are.
struct RecordedSecrets: Sendable {
    /// The names of credentials: others, such as `key`, are often no secrets, and their values would be found
    /// everywhere.
    private static let credentials = Redaction(words: [
        "authorization", "cookie", "token", "secret", "password", "passwd", "pwd", "jwt", "accesstoken", "refreshtoken",
        "idtoken", "authtoken", "sessiontoken", "clientsecret", "assertion", "apikey", "jsessionid", "sessionid",
    ])
    private static let minimumLength = 8

    private let redaction: Redaction
    private var words: Set<String>

    init(_ rules: RecordingRules) {
        redaction = rules.redaction
        words = rules.secretWords.filter { !$0.isEmpty }
    }

    /// Removes the secrets of an exchange, and remembers the values of its credentials.
    mutating func clean(_ exchange: inout Recording.Exchange) {
        let received = exchange.body
        exchange.decodeBodies()
        collect(exchange)
        let request = exchange.request
        let mediaType = request.fields[.contentType].flatMap { MediaType(parsing: $0) }
        if case .bytes(let body) = request.shownBody.source {
            try? exchange.request.setBody(.bytes(redaction.redacted(body: body, as: mediaType)))
        }
        try? exchange.request.setURL(cleaned(request.url))
        exchange.request.fields = cleaned(request.fields, redaction.adding(request.options.credentialFields))
        exchange.request.options = RequestOptions()
        if var head = exchange.head {
            exchange.chunks = cleaned(exchange.chunks, as: head.mediaType)
            head.fields = cleaned(head.fields, redaction)
            if exchange.body != received { head.fields.fit(exchange.body, insteadOf: received) }
            head.url = cleaned(head.url)
            // Layers below may have added values of their own.
            var plain = HTTPResponseHead(status: head.status, fields: head.fields, url: head.url)
            plain.method = head.method
            if head.isProxyChallenge { plain.isProxyChallenge = true }
            if let trailers = head.trailers { plain.setTrailers(cleaned(trailers, redaction)) }
            exchange.head = plain
        }
        if let error = exchange.error {
            exchange.error = TransportError(
                error.code, redaction.redacted(text: error.message), request: exchange.request, phase: error.phase,
                tlsFailure: error.tlsFailure, head: exchange.head)
        }
    }

    private func cleaned(_ url: URL) -> URL {
        if let cleaned = try? URL(httpString: redaction.redacted(url)) { return cleaned }
        // What cannot be parsed again is left out.
        return URL(string: "\(url.scheme ?? "https")://\(url.host(percentEncoded: true) ?? "unreadable")/") ?? url
    }

    private func cleaned(_ fields: HTTPFields, _ redaction: Redaction) -> HTTPFields {
        var cleaned = HTTPFields()
        for field in fields {
            let value = redaction.redacted(field.value, of: field.name)
            // These have been redacted by their parts, whose values may have `=` and spaces.
            let isInParts = [.link, .wwwAuthenticate, .proxyAuthenticate, .cookie, .setCookie].contains(field.name)
            let hasPair = !isInParts && value.utf8.contains { $0 == UInt8(ascii: "=") || $0 == 0x20 }
            // A placeholder is a valid value, and so is the rest of one.
            try? cleaned.append(field.name, hasPair ? redaction.redacted(text: value) : value)
        }
        return cleaned
    }

    /// The chunks without secrets. A secret may be in two of them: then the whole is cleaned, and divided in the same
    /// proportions.
    private func cleaned(_ chunks: [Data], as mediaType: MediaType?) -> [Data] {
        let redaction = redaction.forResponseBodies
        let whole = chunks.inOnePiece
        let changed = redaction.redacted(body: whole, as: mediaType)
        guard changed != whole else { return chunks }
        let eachCleaned = chunks.map { redaction.redacted(body: $0, as: mediaType) }
        let cleaned = eachCleaned.inOnePiece
        if redaction.redacted(body: cleaned, as: mediaType) == cleaned, chunks.count == 1 || cleaned == changed {
            return eachCleaned
        }
        var rest = changed[...]
        let parts = chunks.map { chunk in
            let part = rest.prefix(chunk.count)
            rest = rest.dropFirst(part.count)
            return Data(part)
        }
        return (rest.isEmpty ? parts : parts.dropLast() + [(parts.last ?? Data()) + rest]).filter { !$0.isEmpty }
    }

    /// Adds the words that a copy has found.
    mutating func formUnion(_ other: RecordedSecrets) { words.formUnion(other.words) }

    // MARK: Values

    private mutating func collect(_ exchange: Recording.Exchange) {
        let added = exchange.request.options.credentialFields
        let fields = Array(exchange.head?.fields ?? HTTPFields()) + Array(exchange.head?.trailers ?? HTTPFields())
        for field in Array(exchange.request.fields) + fields
        where Self.credentials.isSecret(field.name.rawName) || added.contains(field.name) {
            collect(field: field)
        }
        for pair in (exchange.request.url.query(percentEncoded: true) ?? "").split(separator: "&") {
            collect(pair: pair)
        }
        let type = exchange.request.fields[.contentType].flatMap { MediaType(parsing: $0) }
        if let body = exchange.requestBody { collect(body, type) }
        if !exchange.chunks.isEmpty { collect(exchange.body, exchange.head?.mediaType) }
    }

    private mutating func collect(field: HTTPFields.Field) {
        if field.name == .cookie || field.name == .setCookie {
            let pairs = field.value.split(separator: ";")
            for pair in field.name == .cookie ? pairs[...] : pairs.prefix(1) {
                insert(String(pair.drop { $0 != "=" }.dropFirst()))
            }
            return
        }
        // The scheme is no secret; of Basic the password is one by itself.
        let parts = field.value.split(separator: " ", maxSplits: 1)
        guard let credentials = parts.last.map(String.init), !field.value.contains("realm=") else { return }
        insert(credentials)
        if parts.count == 2, parts[0].lowercased() == "basic", let decoded = Data(base64Encoded: credentials) {
            insert(String(String(decoding: decoded, as: UTF8.self).drop { $0 != ":" }.dropFirst()))
        }
    }

    private mutating func collect(pair: Substring) {
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.replacing("+", with: " ") }
        guard parts.count == 2, Self.credentials.isSecret(parts[0].removingPercentEncoding ?? String(parts[0])) else {
            return
        }
        insert(parts[1].removingPercentEncoding ?? String(parts[1]))
    }

    private mutating func collect(_ body: Data, _ mediaType: MediaType?) {
        if mediaType?.essence == "application/x-www-form-urlencoded" {
            for pair in String(decoding: body, as: UTF8.self).split(separator: "&") { collect(pair: pair) }
        } else if mediaType?.isJSONLines != true, let value = try? JSONValue(parsing: body) {
            // Not of lines of JSON: there a `token` is often a word of a text, which other lines have too.
            collect(value)
        }
    }

    /// - Parameter isElement: true for an element of a list, in which a `token` is often a word of a text too.
    private mutating func collect(_ value: JSONValue, isSecret: Bool = false, isElement: Bool = false) {
        switch value {
        case .string(let text): if isSecret { insert(text) }
        case .array(let elements): for element in elements { collect(element, isSecret: isSecret, isElement: true) }
        case .object(let members):
            for (name, member) in members {
                let isWord = isElement && name.lowercased().hasPrefix("token")
                collect(member, isSecret: isSecret || !isWord && Self.credentials.isSecret(name))
            }
        default: break
        }
    }

    private mutating func insert(_ value: String) {
        // A bound for servers that send any number of tokens.
        if value.utf8.count >= Self.minimumLength, value != Redaction.placeholder, words.count < 10_000 {
            words.insert(value)
        }
    }

    // MARK: Search

    /// Fails if an exchange contains a secret: as it is, with escapes, or in Base64.
    func check(_ exchanges: [Recording.Exchange]) throws(RecordingError) {
        let forms = SecretForms(words.sorted().flatMap { Self.forms(of: $0) })
        guard !forms.isEmpty else { return }
        for (number, exchange) in exchanges.enumerated() {
            func find(_ place: String, in data: Data) throws(RecordingError) {
                guard data.readings.contains(where: { forms.areFound(in: $0) }) else { return }
                throw RecordingError(
                    .secretFound,
                    "The \(place) of exchange \(number), a \(exchange.request.method), contains a secret, and nothing was "
                        + "written; add the name of the value to `redaction`, or replace the value in `edit`.",
                    exchange: number)
            }
            try find("URL", in: Data(exchange.request.url.absoluteString.utf8))
            for field in exchange.request.fields { try find("request field \(field.name)", in: Data(field.value.utf8)) }
            if let body = exchange.requestBody { try find("request body", in: body) }
            for field in exchange.head?.fields ?? HTTPFields() {
                try find("response field \(field.name)", in: Data(field.value.utf8))
            }
            for field in exchange.head?.trailers ?? HTTPFields() {
                try find("trailer \(field.name)", in: Data(field.value.utf8))
            }
            try find("response URL", in: Data((exchange.head?.url.absoluteString ?? "").utf8))
            try find("response body", in: exchange.body)
            try find("error text", in: Data((exchange.error?.message ?? "").utf8))
        }
    }

    private static func forms(of word: String) -> [Data] {
        var forms = [Data(word.utf8)]
        // As a form has it.
        if word.contains(" ") { forms.append(Data(word.replacing(" ", with: "+").utf8)) }
        let json = JSONValue.string(word).description.dropFirst().dropLast()
        if json != word { forms.append(Data(json.utf8)) }
        // Base64 of a longer text has the word's own characters in one of three alignments.
        if word.utf8.count >= minimumLength {
            for offset in 0..<3 {
                let text = (Data(repeating: 0, count: offset) + Data(word.utf8)).base64EncodedString()
                let whole = (offset + word.utf8.count) / 3 * 4
                let form = Data(text.utf8.prefix(whole).dropFirst(offset == 0 ? 0 : 4))
                let other: [UInt8: UInt8] = [0x2B: UInt8(ascii: "-"), 0x2F: UInt8(ascii: "_")]
                forms += [form, Data(form.map { other[$0] ?? $0 })]
            }
        }
        return forms
    }
}

extension HTTPFields {
    /// Makes the length that of another body, and removes digests. Of a body that was cut short, the same is missing.
    fileprivate mutating func fit(_ body: Data, insteadOf old: Data) {
        if let length = self[.contentLength].flatMap({ Int($0) }), (0...(.max - body.count)).contains(length) {
            stateLength(Swift.max(body.count, length - old.count + body.count))
        }
        for name in ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"] { self[name] = nil }
    }
}

extension HTTPResponseHead {
    /// Adds the fields after the body, if there are some.
    mutating func setTrailers(_ trailers: HTTPFields) {
        guard !trailers.isEmpty else { return }
        let report = TransferReport()
        report.complete(nil, trailers: trailers)
        transferReport = report
    }
}

extension MediaType {
    fileprivate var isJSONLines: Bool { ["ndjson", "jsonl", "stream+json"].contains { subtype.contains($0) } }
}

public import Foundation
public import HTTPMessages
import Queueing
import RequestModel
import Transport

extension HAREntry {
    /// Creates the entry of a request and its outcome, with its secrets.
    ///
    /// ``HARWriter`` and ``redacted(_:)`` remove them. Of the field of a credential that `authorizing` has added, whose
    /// name does not tell that it is secret, and of a body with `hasSecretBody`, the entry has a placeholder.
    /// - Parameters:
    ///   - result: the response, or the error, of which only the description is kept.
    ///   - requestBody: the bytes that were sent, of a body that is a file or a stream. Bytes in memory are known.
    ///   - start: when the request was started.
    ///   - timings: the phases, as far as they are known.
    ///   - maximumBodyBytes: maximum bytes of each body; a longer one is cut.
    public init(
        _ request: HTTPRequest, _ result: Result<HTTPResponse, any Error>, requestBody: Data? = nil,
        startedAt start: Date, timings: HARTimings = HARTimings(), maximumBodyBytes: Int = 256 << 10
    ) {
        var records: [TransportError.AttemptRecord] = []
        let response: HARResponse
        switch result {
        case .success(let success):
            records = success.attempts
            response = HARResponse(success, maximumBodyBytes: maximumBodyBytes)
        case .failure(let error):
            // The last attempt is the entry itself.
            records = ((error as? TransportError)?.attempts ?? []).dropLast()
            response = .failure((error as? any PatchbayError)?.description ?? "\(type(of: error))")
        }
        self.init(
            startedDateTime: start,
            request: HARRequest(request, body: requestBody, maximumBodyBytes: maximumBodyBytes), response: response,
            timings: timings, attempts: records.map { HARAttempt($0) })
        let secret = Redaction(words: []).covering(request)
        for index in self.request.headers.indices where secret.isSecret(self.request.headers[index].name) {
            self.request.headers[index].value = Redaction.placeholder
        }
    }

    /// The request and its response; nil if there was no response.
    /// - Throws: ``HARError`` (`invalidEntry`, `invalidBase64`, `unsupportedEncoding`).
    public func exchange() throws(HARError) -> (request: HTTPRequest, response: HTTPResponse)? {
        let request = try request.httpRequest()
        return try httpResponse().map { (request, $0) }
    }

    /// The response; nil if there was none. Fields about the coding of the body are left out: it is decoded.
    /// - Throws: ``HARError`` (`invalidEntry`, `invalidBase64`, `unsupportedEncoding`).
    public func httpResponse() throws(HARError) -> HTTPResponse? {
        guard response.status != 0 else { return nil }
        guard let status = HTTPStatus(response.status) else {
            throw HARError(.invalidEntry, "The status is not a number from 100 to 999.")
        }
        let sent = try request.httpRequest()
        let fields = try response.headers.fields(
            without: ["content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"])
        var head = HTTPResponseHead(status: status, fields: fields, url: sent.url)
        head.method = sent.method
        var body = try response.content.body() ?? Data()
        // The archive has text in UTF-8; a client decodes it by the charset of the field.
        if response.content.encoding == nil, let encoding = head.mediaType?.declaredEncoding, encoding != .utf8,
            let text = response.content.text
        {
            body = Data(text.bytes(in: encoding))
        }
        return HTTPResponse(head: head, body: body)
    }
}

extension HARRequest {
    /// Creates the request of an entry.
    fileprivate init(_ request: HTTPRequest, body: Data?, maximumBodyBytes: Int) {
        let (url, fields) = (request.url.absoluteString, request.fields)
        let query = URLReference(url[...]).query ?? ""
        self.init(
            method: request.method.name, url: String(url.prefix { $0 != "#" }),
            cookies: fields.values(of: .cookie).flatMap { $0.split(separator: ";") }.map { HARCookie(pair: $0) },
            headers: fields.map { HARPair($0.name.rawName, $0.value) },
            queryString: query.split(separator: "&").map { HARPair(parameter: $0) },
            bodySize: body?.count ?? request.body.length.flatMap { Int(exactly: $0) } ?? -1)
        var known = request.options.hasSecretBody ? nil : body
        if known == nil, case .bytes(let bytes) = request.shownBody.source { known = bytes }
        if let known {
            postData = HARPostData(body: known, mimeType: fields[.contentType], maximumBytes: maximumBodyBytes)
            decodeBody(known, maximumBytes: maximumBodyBytes)
        } else if !request.body.isEmpty {
            postData = HARPostData(mimeType: fields[.contentType] ?? "")
            postData?.comment = "\(request.body)"
        }
    }

    /// Replaces a compressed body by the bytes before, in which secrets can be found, and removes `Content-Encoding`.
    ///
    /// Nothing happens without a coding, and to a body that cannot be decoded.
    /// - Parameters:
    ///   - body: the bytes that were sent.
    ///   - maximumBytes: the bytes to keep.
    mutating func decodeBody(_ body: Data, maximumBytes: Int = .max) {
        guard let coding = headers.contentCoding, let decoded = body.decoded(coding) else { return }
        headers.removeAll { $0.name.lowercased() == "content-encoding" }
        postData = HARPostData(body: decoded, mimeType: postData?.mimeType, maximumBytes: maximumBytes)
        let cut = postData?.comment.map { " \($0)" } ?? ""
        postData?.comment = "Decoded; it was sent as \(coding).\(cut)"
    }

    /// The request of the entry, without the fields that a transport sets itself.
    /// - Throws: ``HARError`` (`invalidEntry`, `invalidBase64`, `unsupportedEncoding`), also for what `HTTPRequest`
    ///   does not allow, such as a `GET` with a body.
    public func httpRequest() throws(HARError) -> HTTPRequest {
        let body = try postData?.body() ?? Data()
        let fields = try headers.fields(without: HTTPRequest.reservedFields)
        do {
            var reference = URLReference(url[...])
            if let at = reference.authority?.lastIndex(of: "@") {
                reference.authority = reference.authority?[at...].dropFirst()
            }
            return try HTTPRequest(
                HTTPMethod(method), reference.text, fields: fields, body: body.isEmpty ? .empty : .bytes(body))
        } catch {
            throw HARError(.invalidEntry, "The request is not valid: \(error.message)", underlying: error)
        }
    }
}

extension HARResponse {
    fileprivate init(_ response: HTTPResponse, maximumBodyBytes: Int) {
        let fields = response.fields
        // An engine that decodes a body removes the field.
        let coding = response.body.isEmpty ? nil : fields.contentCoding
        let body = coding.map { response.body.decoded($0) } ?? response.body
        var content = HARContent(
            body: body ?? Data(), mimeType: fields[.contentType], maximumBytes: maximumBodyBytes)
        if body == nil, let coding { content.comment = "Left out, since it cannot be decoded: \(coding)." }
        self.init(
            status: response.status.code, statusText: response.status.reasonPhrase,
            cookies: fields.values(of: .setCookie).map { HARCookie(setCookie: $0) },
            headers: fields.map { HARPair($0.name.rawName, $0.value) },
            content: content, redirectURL: fields[.location] ?? "")
    }
}

extension HARAttempt {
    fileprivate init(_ record: TransportError.AttemptRecord) {
        self.init(backoff: record.backoff?.milliseconds)
        switch record.cause {
        case .status(let status): self.status = status.code
        case .failure(let code, let message): error = "\(message) [\(code)]"
        case .notSent(let reason): error = reason
        }
    }
}

extension HARCookie {
    fileprivate init(pair: some StringProtocol) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            parts[0].trimmingCharacters(in: .whitespaces),
            parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
    }

    fileprivate init(setCookie: String) {
        let parts = setCookie.split(separator: ";", omittingEmptySubsequences: false)
        self.init(pair: parts[0])
        for part in parts.dropFirst() {
            let attribute = HARCookie(pair: part)
            switch attribute.name.lowercased() {
            case "path": path = attribute.value
            case "domain": domain = attribute.value
            case "expires": expires = HTTPDate(parsing: attribute.value).map { HARDate.text($0.date) }
            case "httponly": httpOnly = true
            case "secure": secure = true
            default: break
            }
        }
    }
}

extension HARPair {
    fileprivate init(parameter: Substring) {
        let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.replacing("+", with: " ") }.map { $0.removingPercentEncoding ?? String($0) }
        self.init(parts[0], parts.count > 1 ? parts[1] : "")
    }
}

extension [HARPair] {
    /// The codings of the body; nil without one.
    var contentCoding: String? {
        let value = filter { $0.name.lowercased() == "content-encoding" }.map(\.value).joined(separator: ",")
        return value.contentCodings.isEmpty ? nil : value
    }

    /// The fields, without those of HTTP/2's head and those that are excluded.
    fileprivate func fields(without excluded: Set<String>) throws(HARError) -> HTTPFields {
        var fields = HTTPFields()
        for pair in self where !pair.name.hasPrefix(":") && !excluded.contains(pair.name.lowercased()) {
            // Browsers join several values of a field by line breaks.
            for value in pair.value.split(separator: "\n", omittingEmptySubsequences: false) {
                do {
                    try fields.append(pair.name, String(value))
                } catch {
                    throw HARError(.invalidEntry, "A header field is not valid: \(error.message)", underlying: error)
                }
            }
        }
        return fields
    }
}

extension MediaType {
    /// The encoding of the charset, if it is one that this package writes.
    var declaredEncoding: String.Encoding? {
        guard let charset = parameters.first(where: { $0.name == "charset" })?.value.lowercased() else { return nil }
        let encodings: [String.Encoding] = [
            .isoLatin1, .isoLatin2, .windowsCP1250, .windowsCP1251, .windowsCP1252, .windowsCP1253, .windowsCP1254,
            .japaneseEUC, .iso2022JP, .shiftJIS, .utf16, .utf16BigEndian, .utf16LittleEndian,
        ]
        return encodings.first { $0.charsetName == charset }
    }
}

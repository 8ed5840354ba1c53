import Foundation
import HTTPMessages
import Transport

/// The JSON form of an exchange.
struct RecordedExchange: Codable {
    /// A value that does not fit HTTP; the context of its error says what.
    struct Fault: Error {}

    private struct Request: Codable {
        var method: String
        var url: String
        var fields: [String]?
        var body: Body?
    }

    private struct Response: Codable {
        var status: Int
        /// If it is not the one of the request.
        var url: String?
        var fields: [String]?
        var body: Body?
        var chunks: [Body]?
        var trailers: [String]?
        var isPartial: Bool?
        var isProxyChallenge: Bool?
    }

    private struct Failure: Codable {
        var code: String
        var message: String
        var phase: String?
        var tlsFailure: String?
    }

    /// Text, or other bytes in Base64.
    struct Body: Codable {
        var text: Text?
        var base64: String?

        init(_ data: Data) {
            if let text = String(validating: data, as: UTF8.self), !data.contains(0) {
                self.text = Text(text: text)
            } else {
                base64 = data.base64EncodedString()
            }
        }

        func data(_ path: [any CodingKey]) throws -> Data {
            if let base64 {
                guard let data = Data(base64Encoded: base64) else { throw fault("the body is not valid Base64", path) }
                return data
            }
            return Data((text?.text ?? "").utf8)
        }
    }

    /// A text: a string, or a list of its lines.
    struct Text: Codable {
        let text: String

        init(text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let lines = try? container.decode([String].self) {
                text = lines.joined()
            } else {
                text = try container.decode(String.self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            guard lines.count > 2 || (lines.count == 2 && lines[1] != "") else { return try container.encode(text) }
            var list = lines.dropLast().map { $0 + "\n" }
            if let last = lines.last, !last.isEmpty { list.append(last) }
            try container.encode(list)
        }
    }

    let exchange: Recording.Exchange

    init(_ exchange: Recording.Exchange) { self.exchange = exchange }

    private enum CodingKeys: String, CodingKey { case isOptional, request, response, error }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let path = container.codingPath
        let request = try container.decode(Request.self, forKey: .request)
        let sent = try Self.valid(path) {
            try HTTPRequest(
                HTTPMethod(request.method), request.url, fields: Self.fields(request.fields, path),
                body: request.body.map { .bytes(try $0.data(path)) } ?? .empty)
        }
        let response = try container.decodeIfPresent(Response.self, forKey: .response)
        let head = try response.map { response in
            guard let status = HTTPStatus(response.status) else { throw fault("the status is not valid", path) }
            let url = try Self.valid(path) { try response.url.map { try URL(httpString: $0) } ?? sent.url }
            var head = HTTPResponseHead(status: status, fields: try Self.fields(response.fields, path), url: url)
            head.method = sent.method
            head.setTrailers(try Self.fields(response.trailers, path))
            if response.isProxyChallenge == true { head.isProxyChallenge = true }
            return head
        }
        let error = try container.decodeIfPresent(Failure.self, forKey: .error).map { failure in
            guard let code = TransportError.Code.known.first(where: { $0.name == failure.code }) else {
                throw fault("the error has an unknown code", path)
            }
            return TransportError(
                code, failure.message, request: sent, phase: failure.phase.flatMap { Timeouts.Phase(recordedName: $0) },
                tlsFailure: failure.tlsFailure.flatMap { TransportError.TLSFailure(recordedName: $0) }, head: head)
        }
        guard head != nil || error != nil else { throw fault("it has neither a response nor an error", path) }
        let chunks = try (response?.chunks ?? response?.body.map { [$0] } ?? []).map { try $0.data(path) }
        var exchange =
            head.map { Recording.Exchange(sent, $0, chunks: chunks, error: error) }
            ?? error.map { Recording.Exchange(sent, $0) }
        exchange?.isPartial = response?.isPartial ?? false
        exchange?.isOptional = try container.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false
        guard let exchange else { throw fault("it has no outcome", path) }
        self.exchange = exchange
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let request = exchange.request
        if exchange.isOptional { try container.encode(true, forKey: .isOptional) }
        try container.encode(
            Request(
                method: request.method.name, url: request.url.recordedText, fields: Self.lines(request.fields),
                body: exchange.requestBody.map { Body($0) }), forKey: .request)
        if let head = exchange.head {
            let isWhole = exchange.chunks.count < 2
            try container.encode(
                Response(
                    status: head.status.code, url: head.url == request.url ? nil : head.url.recordedText,
                    fields: Self.lines(head.fields), body: isWhole ? exchange.chunks.first.map { Body($0) } : nil,
                    chunks: isWhole ? nil : exchange.chunks.map { Body($0) },
                    trailers: head.trailers.flatMap { Self.lines($0) }, isPartial: exchange.isPartial ? true : nil,
                    isProxyChallenge: head.isProxyChallenge ? true : nil),
                forKey: .response)
        }
        if let error = exchange.error {
            try container.encode(
                Failure(
                    code: error.code.name, message: error.message, phase: error.phase?.recordedName,
                    tlsFailure: error.tlsFailure?.recordedName), forKey: .error)
        }
    }

    private static func lines(_ fields: HTTPFields) -> [String]? {
        fields.isEmpty ? nil : fields.map { "\($0.name.rawName): \($0.value)" }
    }

    private static func fields(_ lines: [String]?, _ path: [any CodingKey]) throws -> HTTPFields {
        var fields = HTTPFields()
        for line in lines ?? [] {
            guard let colon = line.firstIndex(of: ":") else { throw fault("a field has no colon", path) }
            try valid(path) { try fields.append(String(line[..<colon]), String(line[line.index(after: colon)...])) }
        }
        return fields
    }

    private static func valid<Result>(_ path: [any CodingKey], _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as HTTPMessageError {
            throw fault(String(error.message.prefix { $0 != ";" && $0 != "." }), path)
        }
    }

}

private func fault(_ problem: String, _ path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: problem, underlyingError: RecordedExchange.Fault()))
}

extension URL {
    /// The URL with readable placeholders.
    fileprivate var recordedText: String { absoluteString.replacing("%3Credacted%3E", with: Redaction.placeholder) }
}

extension ErrorCode where Failure == TransportError {
    /// The codes that a recording can have: all that a transport throws.
    static let known: [TransportError.Code] = [
        .connectionRefused, .hostNotFound, .unreachable, .timedOut, .connectionLost, .truncated, .malformedResponse,
        .undecodableContent, .responseTooLarge, .tls, .proxy, .cancelled, .unreadableBody, .temporaryStorage,
        .reservedField, .tooManyRedirects, .redirectRefused, .unsupported, .unknown,
    ]
}

extension Timeouts.Phase {
    private static let all: [Self] = [.queue, .connect, .send, .response, .idle, .total]

    fileprivate var recordedName: String { "\(self)" }
    fileprivate init?(recordedName: String) {
        guard let phase = Self.all.first(where: { "\($0)" == recordedName }) else { return nil }
        self = phase
    }
}

extension TransportError.TLSFailure {
    private static let all: [Self] = [.untrustedCertificate, .hostMismatch, .expiredCertificate, .handshake]

    fileprivate var recordedName: String { "\(self)" }
    fileprivate init?(recordedName: String) {
        guard let failure = Self.all.first(where: { "\($0)" == recordedName }) else { return nil }
        self = failure
    }
}

import Foundation
import HTTPMessages
import Synchronization
import Transport

/// Record of one call, from which its envelope is made. Thread-safe.
final class CallLog: Sendable {
    /// The last request with its response.
    struct Exchange: Sendable {
        var echo: HyperHiveResult.RequestEcho
        var response: HyperHiveResult.Response?
        /// True when the request has a validator, so that the response may be 304.
        var isConditional = false
        /// True when the server does not run the request twice.
        var isRepeatable = true
    }

    private struct State {
        var exchange: Exchange
        var retries = 0
        /// The longest first, since one may be a part of another.
        var secrets: [String] = []
    }

    private let state: Mutex<State>
    /// True for a load and a sign-in, which a server may run twice.
    private let isRead: Bool

    init(_ type: String, isRead: Bool = false) {
        state = Mutex(State(exchange: Exchange(echo: .init(type))))
        self.isRead = isRead
    }

    /// The last request with its response.
    var exchange: Exchange {
        get { state.withLock(\.exchange) }
        set { state.withLock { $0.exchange = newValue } }
    }

    /// Changes the envelope's description of the call.
    func echo(_ change: (inout HyperHiveResult.RequestEcho) -> Void) {
        state.withLock { change(&$0.exchange.echo) }
    }

    /// Adds texts that are removed from error descriptions and header fields; empty ones are ignored.
    func redact(_ secrets: String?...) {
        let secrets = secrets.compactMap { $0 }.filter { !$0.isEmpty }
        state.withLock { $0.secrets = Set($0.secrets + secrets).sorted { $0.utf8.count > $1.utf8.count } }
    }

    /// Records the number of retries before an attempt.
    func record(retries: Int) { state.withLock { $0.retries = retries } }

    /// Records a request, which has no response yet. Its credentials are removed from the server's texts.
    /// - Parameter transactionID: the ID that it is sent with.
    func record(_ request: HTTPRequest, transactionID: String?) {
        // Without the scheme, such as `Basic`.
        redact(request.fields[.authorization].flatMap { $0.split(separator: " ", maxSplits: 1).last.map(String.init) })
        state.withLock { state in
            state.exchange.echo.url = request.redactedURL
            state.exchange.echo.transactionID = transactionID
            state.exchange.response = nil
            state.exchange.isConditional =
                request.fields[.ifNoneMatch] != nil || request.fields["If-Modified-Since"] != nil
            state.exchange.isRepeatable = request.method != .post || transactionID != nil
        }
    }

    /// Records a response's head.
    /// - Parameter sent: bytes of the request's body.
    func record(_ head: HTTPResponseHead, sent: Int64) {
        state.withLock { $0.exchange.response = .init(head, sent: sent) }
    }

    /// Records the number of received bytes.
    func record(received: Int64) { state.withLock { $0.exchange.response?.bytesDownloaded = received } }

    /// Classifies an error of the last request for the retry rules.
    func outcome(_ error: any Error) -> RetryRules.Outcome {
        let exchange = exchange
        return RetryRules.Outcome(
            error, hasResponse: exchange.response != nil, isRepeatable: exchange.isRepeatable, isRead: isRead)
    }

    /// The secrets: those that are too short for a placeholder, and the others.
    private var secrets: (short: [String], long: [String]) {
        let secrets = state.withLock(\.secrets)
        return (secrets.filter { $0.utf8.count < 8 }, secrets.filter { $0.utf8.count >= 8 })
    }

    /// Returns a text without the call's secrets; nil for a text of the server that contains a short one, or one in
    /// another spelling, such as percent-encoded.
    ///
    /// In a text that can be guessed, such as a date, a placeholder would show what a short secret is. Without the text
    /// the envelope is as if the server had not sent it.
    func redacted(_ text: String, isOfServer: Bool) -> String? {
        let (short, long) = secrets
        if isOfServer, short.contains(where: { text.contains($0) }) || Self.areFound(short, in: Data(text.utf8)) {
            return nil
        }
        let shown = long.reduce(text) { $0.replacing($1, with: Redaction.placeholder) }
        return isOfServer && Self.areFound(long, in: Data(shown.utf8)) ? nil : shown
    }

    /// Returns a body of the server without the call's secrets; nil as for a text.
    func redacted(body: Data) -> Data? {
        let (short, long) = secrets
        if Self.areFound(short, in: body) { return nil }
        let placeholder = Data(Redaction.placeholder.utf8)
        let shown = long.reduce(body) { body, secret in
            var (rest, output) = (body[...], Data())
            while let found = rest.range(of: Data(secret.utf8)) {
                output += rest[..<found.lowerBound] + placeholder
                rest = rest[found.upperBound...]
            }
            return output + rest
        }
        return Self.areFound(long, in: shown) ? nil : shown
    }

    /// True if a text of the server has one of the secrets, in any spelling. A form has `+` for a space.
    private static func areFound(_ secrets: [String], in text: Data) -> Bool {
        let forms = secrets.flatMap { [$0, $0.replacing(" ", with: "+")] }.map { Data($0.utf8) }
        return !forms.isEmpty && text.readings.contains { reading in forms.contains { reading.range(of: $0) != nil } }
    }

    /// Returns the server's JSON without the call's secrets, and without texts whose names are secret.
    ///
    /// Values that contain a short secret are left out; nil if this is one.
    func redacted(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .string(let text): redacted(text, isOfServer: true).map { .string($0) }
        case .integer, .number: redacted(value.description, isOfServer: true).map { _ in value }
        case .array(let elements): .array(elements.compactMap { redacted($0) })
        case .object(let members): .object(members.compactMapMembers { redacted($1, named: $0) })
        case .null, .bool: value
        }
    }

    private func redacted(_ value: JSONValue, named name: String) -> JSONValue? {
        let isSecret = value.string != nil && Redaction.standard.isSecret(name)
        return isSecret ? .string(Redaction.placeholder) : redacted(value)
    }

    /// Returns the server's JSON with a placeholder for each secret of the call, such as the token.
    ///
    /// Short secrets and values with secret names stay: they may be what the app asks for.
    func withoutLongSecrets(_ value: JSONValue) -> JSONValue {
        let secrets = secrets.long
        return secrets.isEmpty ? value : Self.replacing(secrets, in: value)
    }

    private static func replacing(_ secrets: [String], in value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text):
            // Most cells are shorter than a token.
            .string(
                secrets.reduce(text) { text, secret in
                    text.utf8.count < secret.utf8.count ? text : text.replacing(secret, with: Redaction.placeholder)
                })
        case .array(let elements): .array(elements.map { replacing(secrets, in: $0) })
        case .object(let members): .object(members.mapValues { replacing(secrets, in: $0) })
        case .integer, .number, .null, .bool: value
        }
    }

    /// The envelope so far.
    func result(_ status: HyperHiveResult.Status) -> HyperHiveResult {
        let state = state.withLock { $0 }
        var result = HyperHiveResult(status, state.exchange.echo)
        result.response = state.exchange.response
        // Here, since the token of a sign-in is known only after its response.
        result.response?.headers =
            state.exchange.response?.headers.compactMapMembers { name, value in
                redacted(value, isOfServer: !HyperHiveResult.Response.computedFields.contains(name))
            } ?? [:]
        result.isNotModified = state.exchange.isConditional && state.exchange.response?.status == 304
        result.retryCount = state.retries
        return result
    }
}

extension Dictionary {
    /// The members whose values `transform` does not map to nil.
    fileprivate func compactMapMembers<Result>(_ transform: (Key, Value) -> Result?) -> [Key: Result] {
        Dictionary<Key, Result>(
            uniqueKeysWithValues: compactMap { name, value in transform(name, value).map { (name, $0) } })
    }
}

extension HyperHiveResult.Response {
    /// The documented fields by canonical name, as the vendor writes them. HTTP/2 has only lower case.
    private static let documentedNames = Dictionary(
        uniqueKeysWithValues: [
            "ETag", "Expires", "Last-Modified", "Content-Version", "Cache-Hash-Value", "Vary", "Content-Type",
            "Content-Length", "Content-Range", "Date", "Server", "Allow",
        ].map { ($0.lowercased(), $0) })

    /// Fields whose values a server computes, and does not take from a request.
    fileprivate static let computedFields: Set<String> = [
        "Date", "Expires", "Last-Modified", "Content-Length", "Content-Range", "Content-Version", "ETag",
    ]

    fileprivate init(_ head: HTTPResponseHead, sent: Int64) {
        var headers: [String: String] = [:]
        for field in head.fields {
            let name = Self.documentedNames[field.name.canonicalName] ?? field.name.rawName
            guard headers[name] == nil else { continue }
            headers[name] = Redaction.standard.redacted(head.fields[field.name] ?? field.value, of: field.name)
        }
        self.init(status: head.status.code, bytesDownloaded: 0, bytesUploaded: sent, headers: headers)
    }
}

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

    init(_ type: String) { state = Mutex(State(exchange: Exchange(echo: .init(type)))) }

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
            error, hasResponse: exchange.response != nil, isRepeatable: exchange.isRepeatable)
    }

    /// Returns a text without the call's secrets.
    func redacted(_ text: String) -> String {
        state.withLock(\.secrets).reduce(text) { $0.replacing($1, with: Redaction.placeholder) }
    }

    /// Returns JSON without the call's secrets, and without texts whose names are secret.
    func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(redacted(text))
        case .array(let elements): .array(elements.map { redacted($0) })
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        let isSecret = value.string != nil && Redaction.standard.isSecret(name)
                        return (name, isSecret ? .string(Redaction.placeholder) : redacted(value))
                    }))
        default: value
        }
    }

    /// The envelope so far.
    func result(_ status: HyperHiveResult.Status) -> HyperHiveResult {
        let state = state.withLock { $0 }
        var result = HyperHiveResult(status, state.exchange.echo)
        result.response = state.exchange.response
        // Here, since the token of a sign-in is known only after its response.
        result.response?.headers = state.exchange.response?.headers.mapValues { redacted($0) } ?? [:]
        result.isNotModified = state.exchange.isConditional && state.exchange.response?.status == 304
        result.retryCount = state.retries
        return result
    }
}

extension HyperHiveResult.Response {
    fileprivate init(_ head: HTTPResponseHead, sent: Int64) {
        var headers: [String: String] = [:]
        for field in head.fields where headers[field.name.rawName] == nil {
            headers[field.name.rawName] = Redaction.standard.redacted(
                head.fields[field.name] ?? field.value, of: field.name)
        }
        self.init(status: head.status.code, bytesDownloaded: 0, bytesUploaded: sent, headers: headers)
    }
}

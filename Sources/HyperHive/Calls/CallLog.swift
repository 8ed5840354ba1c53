import Foundation
import HTTPMessages
import Synchronization
import Transport

/// Record of one call, from which its envelope is made. Thread-safe.
final class CallLog: Sendable {
    private struct State {
        var echo: HyperHiveResult.RequestEcho
        var response: HyperHiveResult.Response?
        var retries = 0
        var isRepeatable = true
        var secrets: [String] = []
    }

    private let state: Mutex<State>

    init(_ type: String) { state = Mutex(State(echo: .init(type))) }

    /// Changes what the envelope repeats of the call.
    func echo(_ change: (inout HyperHiveResult.RequestEcho) -> Void) { state.withLock { change(&$0.echo) } }

    /// Adds texts that are removed from error descriptions; empty ones are ignored.
    func redact(_ secrets: String?...) {
        state.withLock { $0.secrets += secrets.compactMap { $0 }.filter { !$0.isEmpty } }
    }

    /// Records the number of retries before an attempt.
    func record(retries: Int) { state.withLock { $0.retries = retries } }

    /// Records a request, which has no response yet.
    func record(_ request: HTTPRequest) {
        state.withLock { state in
            state.echo.url = request.redactedURL
            state.response = nil
            state.isRepeatable = request.method != .post || state.echo.transactionID != nil
        }
    }

    /// Records a response's head.
    /// - Parameter sent: bytes of the request's body.
    func record(_ head: HTTPResponseHead, sent: Int64) {
        state.withLock { $0.response = .init(head, sent: sent, secrets: $0.secrets) }
    }

    /// Records the number of received bytes.
    func record(received: Int64) { state.withLock { $0.response?.bytesDownloaded = received } }

    /// How the retry rules see an error of the last request.
    func outcome(_ error: any Error) -> RetryRules.Outcome {
        let (hasResponse, isRepeatable) = state.withLock { ($0.response != nil, $0.isRepeatable) }
        return RetryRules.Outcome(error, hasResponse: hasResponse, isRepeatable: isRepeatable)
    }

    /// Returns a text without the call's secrets.
    func redacted(_ text: String) -> String {
        state.withLock(\.secrets).reduce(text) { $0.replacing($1, with: Redaction.placeholder) }
    }

    /// Returns JSON without the call's secrets.
    func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(redacted(text))
        case .array(let elements): .array(elements.map { redacted($0) })
        case .object(let members): .object(members.mapValues { redacted($0) })
        default: value
        }
    }

    /// The envelope so far.
    func result(_ status: HyperHiveResult.Status) -> HyperHiveResult {
        let state = state.withLock { $0 }
        var result = HyperHiveResult(status, state.echo)
        result.response = state.response
        result.retryCount = state.retries
        return result
    }
}

extension HyperHiveResult.Response {
    /// - Parameter secrets: texts that are removed from the field values.
    fileprivate init(_ head: HTTPResponseHead, sent: Int64, secrets: [String]) {
        var headers: [String: String] = [:]
        for field in head.fields where headers[field.name.rawName] == nil {
            let value = Redaction.standard.redacted(head.fields[field.name] ?? field.value, of: field.name)
            headers[field.name.rawName] = secrets.reduce(value) { $0.replacing($1, with: Redaction.placeholder) }
        }
        self.init(status: head.status.code, bytesDownloaded: 0, bytesUploaded: sent, headers: headers)
    }
}

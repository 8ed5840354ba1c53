import Foundation
import HTTPMessages
import PatchbayTestKit

/// The responses to requests with an `Idempotency-Key`, as a state machine.
///
/// ```
/// unknown     -begin->           in progress
/// in progress -end->             done
/// in progress -end with 5xx->    unknown
/// in progress -begin->           409
/// done        -begin->           the stored response
/// any         -begin, another->  422
/// ```
/// As the draft "The Idempotency-Key HTTP Header Field" (IETF httpapi, 07) proposes.
struct IdempotencyStore {
    private struct Entry {
        let target: String
        let body: Data
        /// Nil while the first request is in progress.
        var response: HTTPResponse?
    }

    private var entries: [String: Entry] = [:]

    /// Notes a request.
    /// - Returns: the response to a repeated key; nil if the request has an effect, after which ``end(_:_:)`` follows.
    mutating func begin(_ key: String, _ request: HTTPRequest, _ body: Data) -> HTTPResponse? {
        let target = "\(request.method) \(request.url.path())"
        guard let entry = entries[key] else {
            entries[key] = Entry(target: target, body: body)
            return nil
        }
        guard entry.target == target, entry.body == body else {
            return request.response(.unprocessableContent, json: ["error": "key of another request"])
        }
        return entry.response ?? request.response(.conflict, json: ["error": "in progress"])
    }

    /// Stores the response to the first request; nil and a status 5xx make its key unknown again.
    mutating func end(_ key: String, _ response: HTTPResponse?) {
        if let response, response.status.kind != .serverError {
            entries[key]?.response = response
        } else {
            entries[key] = nil
        }
    }
}

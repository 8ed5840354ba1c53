import HTTPMessages
import RequestModel
import Synchronization

/// What goes with a call: headers, URL parameters and a body.
///
/// An agent has such data for all its calls (``HTTPAgent/requestData``) and each call may bring its own. Both are
/// combined: headers and parameters by name, where the call's win; the call's body takes the place of the agent's.
/// A call takes a copy when it is made, and never changes what it was given. May be used from any thread.
///
/// Names and values are checked when a call is made; one that cannot be sent, such as a value with a line break, makes
/// the call fail with ``AKError/Code/invalidRequest``.
public final class AKHTTPRequestData: Sendable {
    private struct State {
        var headers: [(name: String, value: String)] = [] {
            didSet { fields = nil }
        }
        /// The headers, once they were checked and until they change.
        var fields: HTTPFields?
        var query = Query()
        var body: (any AKHTTPBody)?
    }

    private let state = Mutex(State())

    /// Data that says nothing.
    public init() {}

    /// Adds a header and keeps those of the same name.
    public func addHeader(_ name: String, value: String) { state.withLock { $0.headers.append((name, value)) } }

    /// Adds a URL parameter and keeps those of the same name. It is percent-encoded as UTF-8 when it is sent.
    public func addQueryParameter(_ name: String, value: String) { state.withLock { $0.query.append(name, value) } }

    /// Removes every header of a name, in any case.
    public func removeHeader(_ name: String) {
        state.withLock { $0.headers.removeAll { $0.name.lowercased() == name.lowercased() } }
    }

    /// Removes every URL parameter of a name; case counts.
    public func removeQueryParameter(_ name: String) { state.withLock { $0.query.remove(name) } }

    /// Removes all headers.
    public func clearHeaders() { state.withLock { $0.headers = [] } }

    /// Removes all URL parameters.
    public func clearQueryParameters() { state.withLock { $0.query = Query() } }

    /// The body; nil says nothing.
    public var bodyData: (any AKHTTPBody)? {
        get { state.withLock(\.body) }
        set { state.withLock { $0.body = newValue } }
    }

    /// A copy, checked.
    /// - Parameter withBody: false leaves the body out, unasked.
    /// - Throws: `HTTPMessageError`, or what a body of the caller's own throws.
    func snapshot(withBody: Bool = true) throws -> RequestData {
        let (fields, query, body) = try state.withLock { state in
            let fields = try state.fields ?? HTTPFields(state.headers.lazy.map { ($0.name, $0.value) })
            state.fields = fields
            return (fields, state.query, state.body)
        }
        return RequestData(fields: fields, query: query, body: withBody ? try body?.requestBody() ?? .empty : .empty)
    }
}

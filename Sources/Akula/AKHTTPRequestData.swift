import HTTPMessages
import RequestModel
import Synchronization

/// Headers, URL parameters and body of a call.
///
/// An agent has data for all its calls (``HTTPAgent/requestData``), and each call can add its own. They are merged by
/// name, and the call's values replace the agent's; the call's body replaces the agent's. Each call works on a copy.
/// Thread-safe.
///
/// Names and values are validated when a call starts. With an invalid one, such as a value with a line break, the call
/// fails with `invalidRequest`.
public final class AKHTTPRequestData: Sendable {
    private struct State {
        var headers: [(name: String, value: String)] = [] {
            didSet { fields = nil }
        }
        /// Cache of the validated headers; cleared when they change.
        var fields: HTTPFields?
        var query = Query()
        var body: (any AKHTTPBody)?
    }

    private let state = Mutex(State())

    /// Creates empty data.
    public init() {}

    /// Adds a header, keeping others of the same name.
    public func addHeader(_ name: String, value: String) { state.withLock { $0.headers.append((name, value)) } }

    /// Adds a URL parameter, keeping others of the same name. It is percent-encoded as UTF-8.
    public func addQueryParameter(_ name: String, value: String) { state.withLock { $0.query.append(name, value) } }

    /// Removes all headers with this name (case-insensitive).
    public func removeHeader(_ name: String) {
        state.withLock { $0.headers.removeAll { $0.name.lowercased() == name.lowercased() } }
    }

    /// Removes all URL parameters with this name (case-sensitive).
    public func removeQueryParameter(_ name: String) { state.withLock { $0.query.remove(name) } }

    /// Removes all headers.
    public func clearHeaders() { state.withLock { $0.headers = [] } }

    /// Removes all URL parameters.
    public func clearQueryParameters() { state.withLock { $0.query = Query() } }

    /// The body; default nil.
    public var bodyData: (any AKHTTPBody)? {
        get { state.withLock(\.body) }
        set { state.withLock { $0.body = newValue } }
    }

    /// A validated copy.
    /// - Parameter withBody: false omits the body without calling its `requestBody()`.
    /// - Throws: `HTTPMessageError`, or the error of an app's own body.
    func snapshot(withBody: Bool = true) throws -> RequestData {
        let (fields, query, body) = try state.withLock { state in
            let fields = try state.fields ?? HTTPFields(state.headers.lazy.map { ($0.name, $0.value) })
            state.fields = fields
            return (fields, state.query, state.body)
        }
        return RequestData(fields: fields, query: query, body: withBody ? try body?.requestBody() ?? .empty : .empty)
    }
}

import HTTPMessages

/// How one call is carried out.
public struct AKHTTPRequestOptions: Hashable, Sendable {
    /// How long to wait for a connection and an answer to begin, in milliseconds; 0, the default, leaves it to the
    /// transport. A negative one makes the call fail with ``AKError/Code/invalidRequest``.
    public var timeout: Int

    /// Options; what is left out has its default.
    public init(timeout: Int = 0) { self.timeout = timeout }

    /// The transport checks it.
    var requestOptions: RequestOptions? {
        timeout == 0 ? nil : RequestOptions(timeouts: Timeouts(response: .milliseconds(timeout)))
    }
}

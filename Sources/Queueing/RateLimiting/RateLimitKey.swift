public import HTTPMessages
import Transport

/// Which requests share one rate limit.
public struct RateLimitKey: Sendable {
    /// A key of the table of limits.
    enum Value: Hashable, Sendable {
        case origin(Origin)
        case template(Origin, HTTPMethod, String)
        /// A key for requests that are not sent to the host of their URL, and where they are sent.
        indirect case elsewhere(Value, String)
        case custom(String)
        /// All keys for which the table has no space.
        case overflow

        /// The key for errors and events.
        var text: String {
            switch self {
            case .origin(let origin): origin.text
            case .template(let origin, let method, let template): "\(method) \(template) at \(origin.text)"
            case .elsewhere(let value, let destination): "\(value.text) via \(destination)"
            case .custom(let text): text
            case .overflow: "other keys"
            }
        }
    }

    let value: @Sendable (HTTPRequest) -> Value?
    /// True for ``origin``, which needs no call of a closure.
    let isOrigin: Bool

    private init(isOrigin: Bool = false, _ value: @escaping @Sendable (HTTPRequest) -> Value?) {
        (self.isOrigin, self.value) = (isOrigin, value)
    }

    func callAsFunction(_ request: HTTPRequest) -> Value? { isOrigin ? Self.originKey(request) : value(request) }

    private static func originKey(_ request: HTTPRequest) -> Value {
        let origin = request.origin
        return key(.origin(origin), for: request, at: origin)
    }

    private static func key(_ value: Value, for request: HTTPRequest, at origin: Origin) -> Value {
        guard request.options.hasLayerOptions, let destination = request.options.destination(insteadOf: origin) else {
            return value
        }
        return .elsewhere(value, destination)
    }

    /// Each origin (scheme, host and port) has a limit of its own.
    ///
    /// So has each socket or address of an origin to which `unixSocketPath` or `nameOverrides` lead requests.
    public static let origin = RateLimitKey(isOrigin: true) { originKey($0) }

    /// Each method and URL template of an origin (`RequestOptions.urlTemplate`) has a limit of its own; requests
    /// without a template share that of their origin. Sockets and addresses have limits of their own, as by ``origin``.
    public static let template = RateLimitKey { request in
        guard let template = request.options.urlTemplate else { return originKey(request) }
        let origin = request.origin
        return key(.template(origin, request.method, template), for: request, at: origin)
    }

    /// The app's own key; requests with nil are not limited.
    /// - Parameter key: called for each request, on any thread. Its text is shown in errors and events, so it must not
    ///   be a secret.
    public static func custom(_ key: @escaping @Sendable (HTTPRequest) -> String?) -> RateLimitKey {
        RateLimitKey { request in key(request).map { .custom($0) } }
    }
}

public import HTTPMessages

/// Which requests share one rate limit.
public struct RateLimitKey: Sendable {
    /// A key of the table of limits.
    enum Value: Hashable, Sendable {
        case origin(Origin)
        case template(Origin, HTTPMethod, String)
        case custom(String)
        /// All keys for which the table has no space.
        case overflow

        /// The key for errors and events.
        var text: String {
            switch self {
            case .origin(let origin): origin.text
            case .template(let origin, let method, let template): "\(method) \(template) at \(origin.text)"
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

    func callAsFunction(_ request: HTTPRequest) -> Value? { isOrigin ? .origin(request.origin) : value(request) }

    /// Each origin (scheme, host and port) has a limit of its own.
    public static let origin = RateLimitKey(isOrigin: true) { .origin($0.origin) }

    /// Each method and URL template of an origin (`RequestOptions.urlTemplate`) has a limit of its own; requests
    /// without a template share that of their origin.
    public static let template = RateLimitKey { request in
        request.options.urlTemplate.map { .template(request.origin, request.method, $0) } ?? .origin(request.origin)
    }

    /// The app's own key; requests with nil are not limited.
    /// - Parameter key: called for each request, on any thread. Its text is shown in errors and events, so it must not
    ///   be a secret.
    public static func custom(_ key: @escaping @Sendable (HTTPRequest) -> String?) -> RateLimitKey {
        RateLimitKey { request in key(request).map { .custom($0) } }
    }
}

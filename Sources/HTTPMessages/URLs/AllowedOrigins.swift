public import Foundation

/// The origins that may get a credential or a signature: scheme, host and port of each.
///
/// ```swift
/// let origins = try AllowedOrigins("https://api.example.com", "https://files.example.com")
/// ```
public struct AllowedOrigins: Hashable, Sendable, CustomStringConvertible {
    private enum Rule: Hashable, Sendable {
        case every
        case base
        case list([Origin])
    }

    private let rule: Rule

    private init(_ rule: Rule) { self.rule = rule }

    /// Creates a list from URLs, whose paths and queries are ignored.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(_ urls: String...) throws(HTTPMessageError) {
        var origins: [Origin] = []
        for url in urls { origins.append(try HTTPRequest.normalized(URL(httpString: url)).1) }
        self.init(.list(origins))
    }

    /// Creates a list from URLs, whose paths and queries are ignored.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(_ urls: some Sequence<URL>) throws(HTTPMessageError) {
        var origins: [Origin] = []
        for url in urls { origins.append(try HTTPRequest.normalized(url).1) }
        self.init(.list(origins))
    }

    /// Every origin: only for an authorizer whose `Authorizer.scope(of:)` and reactions choose the origins.
    public static let chosenByAuthorizer = AllowedOrigins(.every)

    /// The origin of the client's base URL.
    ///
    /// The credentials belong to the client that is made first over their layer: over a `Stack` that has it, or over
    /// the layer itself. Requests without a client, such as those of an outbox over the same transport, get them at
    /// that origin too, but none before that client is made. A later client with another origin gets none, also over
    /// the transport of the first one: give it a layer of its own. Without a client, and below layers that are in no
    /// `Stack`, use a list of origins: no base URL is known there.
    public static let baseURL = AllowedOrigins(.base)

    /// True if the origin of a URL is in the list; false for ``baseURL``, which depends on the request.
    public func contains(_ url: URL) -> Bool { contains(Origin(url)) }

    /// True if an origin is in the list; false for ``baseURL``.
    package func contains(_ origin: Origin) -> Bool {
        switch rule {
        case .every: true
        case .base: false
        case .list(let origins): origins.contains(origin)
        }
    }

    /// True if the origin of a request is in the list.
    /// - Parameter owner: the client of ``baseURL``; nil for any one.
    package func contains(_ request: HTTPRequest, owner: BaseURLOwner? = nil) -> Bool {
        guard isBaseURL else { return contains(request.origin) }
        // A request without a client, such as one of an outbox, belongs to the client of the layer.
        guard request.origin == request.options.baseOrigin ?? owner?.origin else { return false }
        return owner.map { $0.origin == request.origin } ?? true
    }

    /// True if this is the origin of a client, which is known only with a request.
    package var isBaseURL: Bool { if case .base = rule { true } else { false } }

    /// The origins.
    public var description: String {
        switch rule {
        case .every: "every origin"
        case .base: "the origin of the base URL"
        case .list(let origins): origins.map(\.text).joined(separator: ", ")
        }
    }
}

private enum BaseOriginKey: RequestOptionKey { static let defaultValue: Origin? = nil }

extension RequestOptions {
    /// The origin of the base URL of the client that sends the request.
    package var baseOrigin: Origin? {
        get { self[BaseOriginKey.self] }
        set { self[BaseOriginKey.self] = newValue }
    }
}

public import Foundation
public import HTTPMessages
import Transport

/// Base URLs of servers that offer the same API.
///
/// ```swift
/// let hosts = try HostList("https://api.example.com/v1", "https://api.example.net/v1")
/// ```
///
/// A request for an `https` URL goes to `https` hosts only. Each request of a resumable upload may go to
/// another host, so the hosts must share their uploads, with the same paths.
public struct HostList: Hashable, Sendable {
    /// Which host gets a call first.
    @nonexhaustive public enum Order: Hashable, Sendable {
        /// The first host that does not rest.
        case inOrder
        /// Each host in turn.
        case roundRobin
    }

    /// The base URLs, without queries and with a slash at their ends.
    public let urls: [URL]
    let origins: [Origin]
    private let texts: [String]
    /// Which host gets a call first; default ``Order/inOrder``.
    public var order: Order
    /// True if requests with credentials may move to hosts of another origin; default false.
    ///
    /// Without it, a request that has `Authorization`, `Cookie`, another secret field or trailer, trailers without a
    /// name, the credential of a layer above, a secret in its URL, or a secret body, goes to hosts of its own origin
    /// only. The credentials of a layer below are not meant: that layer knows its origins.
    public var sharesCredentials = false
    /// The rest of a host after a failure, doubled with each further one; default one second.
    public var firstRest = Duration.seconds(1)
    /// The longest rest of a host; default one minute.
    public var maximumRest = Duration.seconds(60)

    /// Creates a list; the order is that of preference.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`), also without a URL.
    public init(_ urls: String..., order: Order = .inOrder) throws(HTTPMessageError) {
        try self.init(urls, order: order)
    }

    /// Creates a list; the order is that of preference.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`), also without a URL.
    public init(_ urls: some Sequence<String>, order: Order = .inOrder) throws(HTTPMessageError) {
        var list: [(URL, Origin, String)] = []
        for url in urls {
            var (text, _) = (url.prefix { $0 != "?" && $0 != "#" }.description, ())
            if !text.hasSuffix("/") { text += "/" }
            let (normalized, origin) = try HTTPRequest.normalized(URL(httpString: text))
            list.append((normalized, origin, normalized.absoluteString))
        }
        guard !list.isEmpty else {
            throw HTTPMessageError(.invalidURL, "A list of hosts needs at least one base URL.")
        }
        self.urls = list.map(\.0)
        origins = list.map(\.1)
        texts = list.map(\.2)
        self.order = order
    }

    /// The part of a request's URL after the longest base URL that it begins with; nil for a URL elsewhere.
    func path(of request: HTTPRequest) -> Substring? {
        let text = request.url.absoluteString
        let base = texts.filter { text.hasPrefix($0) }.max { $0.utf8.count < $1.utf8.count }
        return base.map { text.dropFirst($0.count) }
    }

    /// The hosts that may get a request: one for `https` never goes to an `http` host, and none to a host whose name it
    /// overrides.
    func eligible(for request: HTTPRequest) -> [Int] {
        let staysAtOrigin = !sharesCredentials && request.hasCredentials
        return urls.indices.filter { host in
            origins[host] == request.origin
                || !staysAtOrigin && (origins[host].isSecure || !request.origin.isSecure)
                    && !request.options.leadElsewhere(than: origins[host])
        }
    }

    /// The request for a host.
    func request(_ request: HTTPRequest, to host: Int, path: Substring) throws(HTTPMessageError) -> HTTPRequest {
        var request = request
        try request.setURL(texts[host] + path)
        return request
    }
}

extension HTTPRequest {
    /// True if the request itself has credentials: in its URL, its body, its fields or its trailers.
    ///
    /// Trailers without a name get their fields only when the body is sent, so they may be any.
    fileprivate var hasCredentials: Bool {
        options.hasSecretBody || Redaction.standard.hasCredential(in: url) || hasCredential(in: fields)
            || options.trailers.map { $0.fields.isEmpty || hasCredential(in: $0.fields) } ?? false
    }

    private func hasCredential(in fields: HTTPFields) -> Bool {
        fields.contains { Redaction.standard.isCredential($0.name) || options.credentialFields.contains($0.name) }
    }
}

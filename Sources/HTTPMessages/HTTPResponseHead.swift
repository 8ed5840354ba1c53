public import Foundation

/// Head of a response: status, fields and URL.
public struct HTTPResponseHead: Hashable, Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields. If a compressed body was decoded, `Content-Encoding` and `Content-Length` are removed,
    /// because they no longer describe the bytes.
    public var fields: HTTPFields
    /// The URL of the response; after redirects, the final one.
    public var url: URL
    /// The method of the request, set by a transport; otherwise nil.
    public var method: HTTPMethod?
    /// Heads of the followed redirect responses, oldest first.
    public var redirects: [HTTPResponseHead] = []
    @usableFromInline var values = TypedValues()

    /// Creates a head.
    public init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), url: URL) {
        self.status = status
        self.fields = fields
        self.url = url
    }

    /// Media type from `Content-Type`; nil if missing or malformed.
    public var mediaType: MediaType? { fields[.contentType].flatMap { MediaType(parsing: $0) } }
}

extension HTTPResponseHead {
    /// True if any layer added a value: a check without the cost of a generic look-up.
    package var hasMetadata: Bool { !values.isEmpty }

    /// The value that a layer added to the response; the key's default where none did.
    public subscript<Key: ResponseMetadataKey>(key: Key.Type) -> Key.Value {
        @inlinable get { values.value(for: ObjectIdentifier(key)) ?? Key.defaultValue }
        @inlinable set { values.set(newValue == Key.defaultValue ? nil : newValue, for: ObjectIdentifier(key)) }
    }
}

/// A key for a value that a layer adds to a response, such as the attempts it took.
public protocol ResponseMetadataKey {
    /// The type of the values.
    associatedtype Value: Hashable & Sendable
    /// The value of a response to which no layer added one.
    static var defaultValue: Value { get }
}

extension HTTPResponseHead {
    /// True if the response and each redirect before it came from one origin.
    ///
    /// A redirect to another origin drops credentials, so that a status 401 from there is not about them.
    package func stayed(at origin: Origin) -> Bool {
        (redirects + [self]).allSatisfy { Origin($0.url) == origin }
    }

    /// True if no redirect led to another origin, also at a host that a layer has chosen.
    package var keptOrigin: Bool { stayed(at: Origin(url)) }

    /// A URL that the response names; at the host that has sent it, it is one at the host of the request.
    ///
    /// Without a redirect, a layer has chosen that host, and chooses one for the next request too.
    package func atHome(_ link: URL, of request: URL) -> URL {
        let origin = Origin(link)
        guard origin == Origin(url), origin != Origin(request), stayed(at: origin) else { return link }
        var parts = URLReference(link.absoluteString[...])
        let own = URLReference(request.absoluteString[...])
        (parts.scheme, parts.authority) = (own.scheme, own.authority)
        return (try? URL(httpString: parts.text)) ?? link
    }

    /// The method, if known, and the redacted URL, for error descriptions.
    package var requestDescription: String {
        let url = Redaction.standard.redacted(url)
        return method.map { "\($0) \(url)" } ?? url
    }
}

extension HTTPResponseHead: CustomStringConvertible, CustomReflectable {
    /// Status and redacted URL.
    public var description: String { "\(status) from \(Redaction.standard.redacted(url))" }
    /// The parts, with secrets redacted.
    public var customMirror: Mirror {
        Mirror(self, children: ["head": description, "fields": fields, "redirects": redirects])
    }
}

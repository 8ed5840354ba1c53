public import HTTPMessages
import Synchronization

/// Fields that a request sends after its body (RFC 9110, section 6.5), such as a digest.
///
/// ```swift
/// let trailers = RequestTrailers(try HTTPFields(["Digest": ""]))   // announced in `Trailer`
/// request.options.trailers = trailers                              // the body sets `trailers.fields` at its end
/// ```
///
/// Copies of a request share the object, and so do its attempts when it is sent again: use one for each call. A body
/// that is read again sets all of the fields again.
public final class RequestTrailers: Sendable {
    /// Fields of framing, routing, conditions, credentials and the content, which no trailer may have (RFC 9110,
    /// section 6.5.1).
    private static let forbiddenFields: Set<String> = [
        "authorization", "cache-control", "connection", "content-encoding", "content-length", "content-range",
        "content-type", "cookie", "expect", "forwarded", "host", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "keep-alive", "max-forwards", "pragma", "proxy-authorization",
        "proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade", "x-forwarded-for",
        "x-forwarded-host", "x-forwarded-proto", "x-http-method", "x-http-method-override", "x-method-override",
    ]

    private let state: Mutex<HTTPFields>

    /// Creates trailers; those of a request may be set until its body has ended.
    public init(_ fields: HTTPFields = HTTPFields()) { state = Mutex(fields) }

    /// The fields. An engine announces the names of those that it finds when it starts the request.
    public var fields: HTTPFields {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }

    /// Returns the fields for an engine.
    /// - Throws: `HTTPMessageError` for an invalid field; ``TransportError`` (`reservedField`) for one that no trailer
    ///   may have.
    public func validatedFields() throws -> HTTPFields {
        let fields = fields
        try fields.validate()
        if let field = fields.first(where: { Self.forbiddenFields.contains($0.name.canonicalName) }) {
            throw TransportError(
                .reservedField, "Trailers cannot have the field \(field.name); send it in the head, or not at all.")
        }
        return fields
    }
}

extension RequestTrailers: Hashable {
    /// Compares identities.
    public static func == (left: RequestTrailers, right: RequestTrailers) -> Bool { left === right }
    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private enum TrailersKey: RequestOptionKey {
    static var defaultValue: RequestTrailers? { nil }
}

extension RequestOptions {
    /// Fields to send after the body, in chunks over HTTP/1.1; default nil.
    ///
    /// `CurlTransport` has it; other engines fail with `unsupported` before anything is sent.
    public var trailers: RequestTrailers? {
        get { hasLayerOptions ? self[TrailersKey.self] : nil }
        set { self[TrailersKey.self] = newValue }
    }
}

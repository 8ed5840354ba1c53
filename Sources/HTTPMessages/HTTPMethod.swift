/// Request method (RFC 9110, section 9), case-sensitive: `get` is not `GET`.
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    /// The method as it is sent.
    public let name: String

    /// Creates a method.
    /// - Throws: `HTTPMessageError` (`invalidMethod`) if the name is not a token.
    public init(_ name: String) throws(HTTPMessageError) {
        guard name.isHTTPToken else {
            throw HTTPMessageError(
                .invalidMethod, "Invalid HTTP method; use one or more letters, digits or !#$%&'*+-.^_`|~.")
        }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    /// `GET`
    public static let get = HTTPMethod(known: "GET")
    /// `HEAD`
    public static let head = HTTPMethod(known: "HEAD")
    /// `POST`
    public static let post = HTTPMethod(known: "POST")
    /// `PUT`
    public static let put = HTTPMethod(known: "PUT")
    /// `PATCH` (RFC 5789)
    public static let patch = HTTPMethod(known: "PATCH")
    /// `DELETE`
    public static let delete = HTTPMethod(known: "DELETE")
    /// `OPTIONS`
    public static let options = HTTPMethod(known: "OPTIONS")
    /// `TRACE`
    public static let trace = HTTPMethod(known: "TRACE")
    /// `QUERY` (RFC 10008): a safe request with a body.
    public static let query = HTTPMethod(known: "QUERY")

    /// True for a method that changes nothing at the server (RFC 9110, section 9.2.1): `GET`, `HEAD`, `OPTIONS`,
    /// `QUERY`, `TRACE`, WebDAV's `PROPFIND`, `REPORT` and `SEARCH`, and others of IANA's registry.
    public var isSafe: Bool {
        switch name {
        case "GET", "HEAD", "OPTIONS", "QUERY", "TRACE", "PROPFIND", "REPORT", "SEARCH", "PRI": true
        default: false
        }
    }

    /// True for a method that may be sent again (RFC 9110, section 9.2.2): the safe ones, `PUT`, `DELETE`, and others
    /// of IANA's registry, such as WebDAV's `MOVE`. A method that is not registered counts as not idempotent.
    public var isIdempotent: Bool {
        switch name {
        case "PUT", "DELETE", "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "LABEL", "LINK",
            "MERGE",
            "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPPATCH",
            "REBIND", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL":
            true
        default: isSafe
        }
    }

    /// False for `GET`, `HEAD` and `TRACE`: their content has no semantics (RFC 9110, sections 9.3.1, 9.3.2 and 9.3.8)
    /// and Foundation does not send it.
    public var allowsBody: Bool { self != .get && self != .head && self != .trace }

    /// The method as it is sent.
    public var description: String { name }
}

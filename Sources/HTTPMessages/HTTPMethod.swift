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

    /// True for `GET`, `HEAD`, `OPTIONS` and `TRACE` (RFC 9110, section 9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// True for the safe methods, `PUT` and `DELETE` (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// False for `GET`, `HEAD` and `TRACE`: their content has no semantics (RFC 9110, sections 9.3.1, 9.3.2 and 9.3.8)
    /// and Foundation does not send it.
    public var allowsBody: Bool { self != .get && self != .head && self != .trace }

    /// The method as it is sent.
    public var description: String { name }
}

/// Status code of a response (RFC 9110, section 15).
public struct HTTPStatus: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Status class: the first digit.
    public enum Kind: Hashable, Sendable {
        /// 1xx: an interim response.
        case informational
        /// 2xx: the request was received, understood and accepted.
        case successful
        /// 3xx: further action is needed.
        case redirection
        /// 4xx: the request is invalid or cannot be fulfilled.
        case clientError
        /// 5xx: the server failed to fulfill a valid request.
        case serverError
        /// 6xx to 9xx: outside the standard.
        case unknown
    }

    /// The status code, 100 to 999.
    public let code: Int

    /// Creates a status; nil unless the code has three digits.
    public init?(_ code: Int) {
        guard (100...999).contains(code) else { return nil }
        self.code = code
    }

    private init(known code: Int) { self.code = code }

    /// 200
    public static let ok = HTTPStatus(known: 200)
    /// 201
    public static let created = HTTPStatus(known: 201)
    /// 202
    public static let accepted = HTTPStatus(known: 202)
    /// 204
    public static let noContent = HTTPStatus(known: 204)
    /// 206
    public static let partialContent = HTTPStatus(known: 206)
    /// 301
    public static let movedPermanently = HTTPStatus(known: 301)
    /// 302
    public static let found = HTTPStatus(known: 302)
    /// 303
    public static let seeOther = HTTPStatus(known: 303)
    /// 304
    public static let notModified = HTTPStatus(known: 304)
    /// 307
    public static let temporaryRedirect = HTTPStatus(known: 307)
    /// 308
    public static let permanentRedirect = HTTPStatus(known: 308)
    /// 400
    public static let badRequest = HTTPStatus(known: 400)
    /// 401
    public static let unauthorized = HTTPStatus(known: 401)
    /// 403
    public static let forbidden = HTTPStatus(known: 403)
    /// 404
    public static let notFound = HTTPStatus(known: 404)
    /// 405
    public static let methodNotAllowed = HTTPStatus(known: 405)
    /// 406
    public static let notAcceptable = HTTPStatus(known: 406)
    /// 408
    public static let requestTimeout = HTTPStatus(known: 408)
    /// 409
    public static let conflict = HTTPStatus(known: 409)
    /// 410
    public static let gone = HTTPStatus(known: 410)
    /// 412
    public static let preconditionFailed = HTTPStatus(known: 412)
    /// 413
    public static let contentTooLarge = HTTPStatus(known: 413)
    /// 415
    public static let unsupportedMediaType = HTTPStatus(known: 415)
    /// 416
    public static let rangeNotSatisfiable = HTTPStatus(known: 416)
    /// 422
    public static let unprocessableContent = HTTPStatus(known: 422)
    /// 429
    public static let tooManyRequests = HTTPStatus(known: 429)
    /// 500
    public static let internalServerError = HTTPStatus(known: 500)
    /// 502
    public static let badGateway = HTTPStatus(known: 502)
    /// 503
    public static let serviceUnavailable = HTTPStatus(known: 503)
    /// 504
    public static let gatewayTimeout = HTTPStatus(known: 504)

    /// The class of the status.
    public var kind: Kind {
        switch code / 100 {
        case 1: .informational
        case 2: .successful
        case 3: .redirection
        case 4: .clientError
        case 5: .serverError
        default: .unknown
        }
    }

    /// True for 2xx.
    public var isSuccessful: Bool { kind == .successful }

    /// True for a status that says nothing about the next request: 408, 429 and 5xx.
    package var isTemporary: Bool { self == .requestTimeout || self == .tooManyRequests || kind == .serverError }

    /// The reason phrase of IANA's registry of status codes, or an empty string.
    public var reasonPhrase: String { Self.phrases[code] ?? "" }

    /// Compares codes.
    public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool { left.code < right.code }

    /// Compares with a code, as in `status == 404`.
    public static func == (status: HTTPStatus, code: Int) -> Bool { status.code == code }
    /// Compares with a code.
    public static func != (status: HTTPStatus, code: Int) -> Bool { status.code != code }
    /// Matches a code in a `switch`: `case 404:`.
    public static func ~= (code: Int, status: HTTPStatus) -> Bool { status.code == code }
    /// Matches a range of codes in a `switch`: `case 200..<300:`.
    public static func ~= (codes: Range<Int>, status: HTTPStatus) -> Bool { codes.contains(status.code) }

    /// Code and reason phrase: `404 Not Found`.
    public var description: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)" }

    private static let phrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
        104: "Upload Resumption Supported",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 208: "Already Reported", 226: "IM Used",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked",
        424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 506: "Variant Also Negotiates",
        507: "Insufficient Storage", 508: "Loop Detected", 510: "Not Extended", 511: "Network Authentication Required",
    ]
}

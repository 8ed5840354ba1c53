public import Foundation

/// A request as the vendor's API describes it: a mutable object. The manager copies it when it is added.
///
/// ```swift
/// let request = ORARequest(url: "https://example.com/events")
/// request.requestType = POST
/// request.payload = ["name": "value"]
/// request.priority = Immediate
/// ```
/// Nothing is checked before the request is added. Use one from one thread at a time; it can be added more than once.
public final class ORARequest {
    /// The most times that a failed request is repeated.
    public static let maximumRetryCount = 15

    /// Where it goes: an absolute URL, `http` or `https`. The vendor's own sample has none of these in front, and fails
    /// here with ``ORAError/Code/unsupportedURL``.
    public var url: String?
    /// The verb; default ``POST``.
    public var requestType = POST
    /// What to send: as JSON with a POST, as parameters in the query with a GET. Keys are texts. Values are what JSON
    /// has: texts, numbers, truth values, `NSNull`, and in a POST arrays and dictionaries of these.
    public var payload: [AnyHashable: Any]?
    /// The body to send with a POST, as it is; wins over the payload. A GET sends none.
    public var requestBody: Data?
    /// The header fields: texts by name. A number is sent as it is written in JSON.
    public var headers: [AnyHashable: Any]?
    /// Whether the body is sent in gzip; default not.
    public var compression = false
    /// How often the request is repeated after a failure of the network or the server (5xx); default 1. Numbers below 0
    /// and above 15 become these.
    public var retryCount = 1 {
        didSet { retryCount = min(max(retryCount, 0), Self.maximumRetryCount) }
    }
    /// How soon it is sent; default ``Normal``.
    public var priority = Normal
    /// Comes back with the response; never sent.
    public var requestTag: String?

    /// A request whose URL is set later.
    public init() {}

    /// A request to a URL.
    public init(url: String?) { self.url = url }

    /// A request with a payload, whose URL is set later.
    public init(payload: [AnyHashable: Any]?) { self.payload = payload }

    /// A new request with the same values in all nine properties.
    ///
    /// Changes to one of the two do not affect the other. As with the vendor's `NSObject`, the copy is shallow: an object
    /// of a reference type inside ``payload`` or ``headers``, such as an `NSMutableArray`, is shared. Nothing of a request
    /// that was added is copied: the new request has not been sent.
    public func copy() -> ORARequest {
        let copy = ORARequest(url: url)
        copy.requestType = requestType
        copy.payload = payload
        copy.requestBody = requestBody
        copy.headers = headers
        copy.compression = compression
        copy.retryCount = retryCount
        copy.priority = priority
        copy.requestTag = requestTag
        return copy
    }

    /// ``priority``, as the vendor's samples spell it.
    public var priotity: ORARequestPriority {
        get { priority }
        set { priority = newValue }
    }

    /// ``requestTag``, as the vendor's reference spells it.
    public var requestTAG: String? {
        get { requestTag }
        set { requestTag = newValue }
    }
}

extension ORARequest: CustomStringConvertible, CustomReflectable {
    /// The verb and the URL without user, password and secret query values; neither headers nor body.
    public var description: String { "\(requestType == .get ? "GET" : "POST") \(safeURL)" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

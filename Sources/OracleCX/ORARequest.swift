public import Foundation

/// A request as old code describes it: a mutable object, of which the manager takes a copy when it is added.
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

    /// A request to a URL.
    public init(url: String?) { self.url = url }

    /// A request with a payload, whose URL is set later.
    public init(payload: [AnyHashable: Any]?) { self.payload = payload }

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

public import Foundation
public import PatchbayErrors
public import Transport

/// The vendor's request: a mutable object, copied when it is added to the manager.
///
/// ```swift
/// let request = ORARequest(url: "https://example.com/events")
/// request.requestType = POST
/// request.payload = ["name": "value"]
/// request.priority = Immediate
/// ```
/// It is validated when it is added, and can be added more than once. Not thread-safe.
public final class ORARequest {
    /// Maximum of ``retryCount``.
    public static let maximumRetryCount = 15

    /// The absolute http or https URL. The vendor's sample has no scheme, and fails here with
    /// `unsupportedURL`.
    public var url: String?
    /// The verb; default ``POST``.
    public var requestType = POST
    /// The payload: JSON body of a POST, query parameters of a GET. Keys are strings. Values are strings, numbers,
    /// Booleans, `NSNull`, and in a POST arrays and dictionaries of these. A number from 10^15 on whose digits neither
    /// an `Int64` nor a `Double` holds is refused; pass it as a string.
    public var payload: [AnyHashable: Any]?
    /// The raw body of a POST; takes precedence over ``payload``. Ignored by a GET.
    public var requestBody: Data?
    /// Header fields: strings by name. Numbers and Booleans are sent as in JSON.
    public var headers: [AnyHashable: Any]?
    /// Whether the body is compressed with gzip; default false.
    public var compression = false
    /// Number of retries after a network or server error (5xx); default 1, clamped to 0...15.
    public var retryCount = 1 {
        didSet { retryCount = min(max(retryCount, 0), Self.maximumRetryCount) }
    }
    /// The priority; default ``Normal``.
    public var priority = Normal
    /// A tag that is returned in the response; never sent.
    public var requestTag: String?
    /// Receives the progress of the request, however it is sent; default nil. Not part of the vendor's class.
    public var observer: (any TransferObserver)?

    /// Creates a request; set ``url`` later.
    public init() {}

    /// Creates a request to a URL.
    public init(url: String?) { self.url = url }

    /// Creates a request with a payload; set ``url`` later.
    public init(payload: [AnyHashable: Any]?) { self.payload = payload }

    /// Returns a new request with the same values in all properties.
    ///
    /// The copy is shallow, as with the vendor's `NSObject`: an object inside ``payload`` or ``headers``, such as an
    /// `NSMutableArray`, is shared. Queue state is not copied: the new request has not been added.
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
        copy.observer = observer
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

extension ORARequest: RedactedStringConvertible {
    /// Method and redacted URL.
    public var description: String { "\(requestType == .get ? "GET" : "POST") \(redactedURL)" }
}

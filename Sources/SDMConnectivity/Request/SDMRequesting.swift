public import Foundation

/// The requests of a builder: the surface that ``SDMHttpRequest`` and its subclasses share.
///
/// Settings and results are members, as in ``SDMHttpRequest``: `request.timeOutSeconds = 30`.
@dynamicMemberLookup
public protocol SDMRequesting: AnyObject, Sendable {
    /// The settings by name; see ``SDMRequestSettings``.
    subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<SDMRequestSettings, Value>) -> Value { get set }
    /// The results by name; see ``SDMRequestResults``.
    subscript<Value: Sendable>(dynamicMember path: KeyPath<SDMRequestResults, Value>) -> Value { get }

    /// Receives the events; held weakly. See ``SDMHttpRequestDelegate``.
    var delegate: AnyObject? { get set }
    /// Receives the progress of the request body; held weakly. See ``SDMProgressDelegate``.
    var uploadProgressDelegate: AnyObject? { get set }
    /// Receives the progress of the response body; held weakly. See ``SDMProgressDelegate``.
    var downloadProgressDelegate: AnyObject? { get set }
    /// Values of the app; default nil.
    var userInfo: [AnyHashable: Any]? { get set }
    /// The queue whose delegates are called for the request too; retained.
    var queue: SDMNetworkQueue? { get set }

    /// Sets a header field, replacing one of the same name.
    func addRequestHeader(_ header: String, value: String)
    /// Appends bytes to the body.
    func appendPost(_ data: Data)
    /// Appends the content of a file to the body; nothing if there is no such file.
    func appendPostData(fromFile path: String)
    /// Fixes the body; at most once.
    func buildPostBody()
    /// Sets the header fields that the library makes.
    func buildRequestHeaders()
    /// Sets the condition of a request.
    func setEtag(_ etag: String, with matchType: SDMEtagMatchType)

    /// Starts the request in the session's shared queue.
    func startAsynchronous()
    /// Blocks the calling thread until the request is complete.
    @available(*, noasync, message: "startSynchronous blocks its thread; await response() instead.")
    func startSynchronous()
    /// Cancels the request, which then fails with `requestCancelled`; no effect after its end.
    func cancel()
    /// Cancels the request and calls no delegate any more.
    func clearDelegatesAndCancel()
    /// Continues after `authenticationNeeded(for:)`, with the credentials that the app has set.
    func retryUsingSuppliedCredentials()
    /// Fails after `authenticationNeeded(for:)`.
    func cancelAuthentication()
    /// Continues after `request(_:willRedirectTo:)`.
    func redirect(to url: URL)

    /// The body as text; nil without a body, and if it is not valid in its encoding.
    var responseString: String? { get }
    /// The body, decompressed; nil without a body.
    var responseData: Data? { get }
}

/// The condition of a request with an entity tag.
public enum SDMEtagMatchType: Hashable, Sendable, CaseIterable {
    /// `If-Match`
    case ifMatch
    /// `If-None-Match`
    case ifNoneMatch
    /// `If-Range`
    case ifRange

    /// The vendor's name of ``ifMatch``.
    public static let EtagIfMatch = SDMEtagMatchType.ifMatch
    /// The vendor's name of ``ifNoneMatch``.
    public static let EtagIfNoneMatch = SDMEtagMatchType.ifNoneMatch
    /// The vendor's name of ``ifRange``.
    public static let EtagIfRange = SDMEtagMatchType.ifRange

    var header: String {
        switch self {
        case .ifMatch: "If-Match"
        case .ifNoneMatch: "If-None-Match"
        case .ifRange: "If-Range"
        }
    }
}

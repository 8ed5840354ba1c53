public import Foundation
public import HTTPMessages

/// A cache of responses, which the call loop asks before each attempt and after its response.
///
/// ``SDMDownloadCache`` is the package's own one. In each call, `request` is the request of the attempt as it was
/// before ``decision(for:options:)`` changed it, and in ``confirmed(by:for:options:)`` the conditional one; after a
/// redirect, that for its target. A response is only for the user in the options. The methods are called on any
/// thread, except the main one for asynchronous requests.
public protocol DownloadCaching: AnyObject, Sendable {
    /// Decides whether to send a request.
    func decision(for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> CacheDecision

    /// The cached response that a 304 to a ``CacheDecision/revalidate(_:)`` confirms, with its fields updated.
    /// - Returns: nil if it was removed or replaced meanwhile, or if the 304 is about another response; the request is
    ///   then sent once more, without conditions.
    func confirmed(
        by head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions
    ) -> HTTPResponse?

    /// Whether ``store(_:for:options:)`` would keep a response, so that its body should be collected.
    func accepts(_ head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> Bool

    /// Keeps a complete response; ignores one that it does not accept.
    func store(_ response: HTTPResponse, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions)

    /// The response that replaces a connection failure or a timeout; nil unless the policy is
    /// ``SDMCachePolicy/useCacheIfLoadFails`` and a response is cached.
    func fallback(for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> HTTPResponse?

    /// Removes the response of a URL, which a write may have made invalid (RFC 9111, section 4.4).
    ///
    /// Called after each successful request of an unsafe method, for its URL, `Location` and `Content-Location`.
    func removeCachedData(for url: URL)

    /// Removes the responses of one storage.
    func clearCachedResponses(for storage: SDMCacheStoragePolicy)

    /// Removes the responses of the session, and all responses of users. Called by `clearSession`.
    ///
    /// Default: removes the responses of the session. A cache with permanent ones removes those of users too.
    func clearResponsesOfUsers()
}

extension DownloadCaching {
    /// Removes the responses of the session.
    public func clearResponsesOfUsers() { clearCachedResponses(for: .session) }
}

/// What to do with a request that has a cache.
public enum CacheDecision: Sendable {
    /// Send the request.
    case load
    /// Send this request, which is conditional. A 304 confirms the cached response; any other response replaces it.
    case revalidate(HTTPMessages.HTTPRequest)
    /// Complete with this response, and send nothing.
    case use(HTTPResponse)
}

public import Foundation

// The settings of bodies, cache, progress and selectors.

extension SDMHttpRequest {
    // MARK: Bodies

    /// True to accept compressed responses; default true.
    public var allowCompressedResponse: Bool {
        get { self[\.allowCompressedResponse] }
        set { self[\.allowCompressedResponse] = newValue }
    }

    /// Without effect: the engine decompresses responses while they arrive. Default true.
    public var shouldWaitToInflateCompressedResponses: Bool {
        get { self[\.shouldWaitToInflateCompressedResponses] }
        set { self[\.shouldWaitToInflateCompressedResponses] = newValue }
    }

    /// True to compress the request body with gzip; default false.
    public var shouldCompressRequestBody: Bool {
        get { self[\.shouldCompressRequestBody] }
        set { self[\.shouldCompressRequestBody] = newValue }
    }

    /// The encoding of responses that declare none; default ISO-8859-1.
    ///
    /// It is used for an unknown charset only if the app has set it: the text is not guessed, `responseString` is nil.
    public var defaultResponseEncoding: String.Encoding {
        get { self[\.defaultResponseEncoding] }
        set { self[\.defaultResponseEncoding] = newValue }
    }

    /// True to read appended files while they are sent; default false.
    public var shouldStreamPostDataFromDisk: Bool {
        get { self[\.shouldStreamPostDataFromDisk] }
        set { self[\.shouldStreamPostDataFromDisk] = newValue }
    }

    /// A file to send as the body; default nil.
    public var postBodyFilePath: String! {
        get { self[\.postBodyFilePath] }
        set { self[\.postBodyFilePath] = newValue }
    }

    /// The file for the response body, which replaces an existing one at the end; default nil, in memory.
    ///
    /// A response without a body, such as a 304, leaves the existing file; an empty body of a success does not.
    public var downloadDestinationPath: String! {
        get { self[\.downloadDestinationPath] }
        set { self[\.downloadDestinationPath] = newValue }
    }

    /// The file for the body while it arrives; default nil, a temporary one beside the destination.
    public var temporaryFileDownloadPath: String! {
        get { self[\.temporaryFileDownloadPath] }
        set { self[\.temporaryFileDownloadPath] = newValue }
    }

    /// True to continue the download in ``temporaryFileDownloadPath``; default false.
    ///
    /// A file `<name>.patchbay-record` beside it has the URL, the entity tag, the length and a hash of the user.
    /// Without it, for another user, or if the server has another version, the download starts again; so it does for a
    /// server without a strong `ETag` or a length. A user is known by credentials, not by cookies: for those use
    /// another file for each user.
    public var allowResumeForFileDownloads: Bool {
        get { self[\.allowResumeForFileDownloads] }
        set { self[\.allowResumeForFileDownloads] = newValue }
    }

    /// The cache; default nil, none.
    public var downloadCache: (any DownloadCaching)? {
        get { self[\.downloadCache] }
        set { self[\.downloadCache] = newValue }
    }

    /// When the cache is used; default ``SDMCachePolicy/default``.
    public var cachePolicy: SDMCachePolicy {
        get { self[\.cachePolicy] }
        set { self[\.cachePolicy] = newValue }
    }

    /// How long the cache keeps the response; default ``SDMCacheStoragePolicy/session``.
    public var cacheStoragePolicy: SDMCacheStoragePolicy {
        get { self[\.cacheStoragePolicy] }
        set { self[\.cacheStoragePolicy] = newValue }
    }

    /// Seconds for which the cached response is fresh; default 0, what its fields say.
    public var secondsToCache: TimeInterval {
        get { self[\.secondsToCache] }
        set { self[\.secondsToCache] = newValue }
    }

    // MARK: Progress

    /// True to count progress in bytes, false to count the request as one unit; default true.
    public var showAccurateProgress: Bool {
        get { self[\.showAccurateProgress] }
        set { self[\.showAccurateProgress] = newValue }
    }

    /// True to set the download progress to zero at the start; default true.
    public var shouldResetDownloadProgress: Bool {
        get { self[\.shouldResetDownloadProgress] }
        set { self[\.shouldResetDownloadProgress] = newValue }
    }

    /// True to set the upload progress to zero at the start; default true.
    public var shouldResetUploadProgress: Bool {
        get { self[\.shouldResetUploadProgress] }
        set { self[\.shouldResetUploadProgress] = newValue }
    }

    // MARK: SAP

    /// True to send the preferred languages as `Accept-Language`; default true.
    public var shouldAutosetLanguage: Bool {
        get { self[\.shouldAutosetLanguage] }
        set { self[\.shouldAutosetLanguage] = newValue }
    }

    /// True to send `SAP-PASSPORT` and `X-CorrelationID`; default false.
    public var isTracingEnabled: Bool {
        get { self[\.isTracingEnabled] }
        set { self[\.isTracingEnabled] = newValue }
    }

    // MARK: Selectors

    /// The method called at each attempt; default `requestStarted:`.
    public var didStartSelector: String {
        get { self[\.didStartSelector] }
        set { self[\.didStartSelector] = newValue }
    }

    /// The method called at the end of a request; default `requestFinished:`.
    public var didFinishSelector: String {
        get { self[\.didFinishSelector] }
        set { self[\.didFinishSelector] = newValue }
    }

    /// The method called after a failure; default `requestFailed:`.
    public var didFailSelector: String {
        get { self[\.didFailSelector] }
        set { self[\.didFailSelector] = newValue }
    }

    /// The method called with each part of the response body; default `request:didReceiveData:`.
    public var didReceiveDataSelector: String {
        get { self[\.didReceiveDataSelector] }
        set { self[\.didReceiveDataSelector] = newValue }
    }

    /// The method called with the response fields; default `request:didReceiveResponseHeaders:`.
    public var didReceiveResponseHeadersSelector: String {
        get { self[\.didReceiveResponseHeadersSelector] }
        set { self[\.didReceiveResponseHeadersSelector] = newValue }
    }

    /// The method called when credentials are needed; default `authenticationNeededForRequest:`.
    public var didReceiveAuthChallengeSelector: String {
        get { self[\.didReceiveAuthChallengeSelector] }
        set { self[\.didReceiveAuthChallengeSelector] = newValue }
    }

    /// The method that decides about a redirect; default `request:willRedirectToURL:`.
    public var willRedirectSelector: String {
        get { self[\.willRedirectSelector] }
        set { self[\.willRedirectSelector] = newValue }
    }

    /// A number for the app; default 0.
    public var tag: Int {
        get { self[\.tag] }
        set { self[\.tag] = newValue }
    }
}

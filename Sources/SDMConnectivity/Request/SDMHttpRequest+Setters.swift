public import Transport

// The vendor's setters, for code that calls methods. The guide names some of them differently from the properties.

extension SDMHttpRequest {
    /// Sets `username`.
    public func setUserName(_ username: String?) { self.username = username }
    /// Sets `username`.
    public func setUsername(_ username: String?) { self.username = username }
    /// Sets `password`.
    public func setPassword(_ password: String?) { self.password = password }
    /// Sets `domain`.
    public func setDomain(_ domain: String?) { self.domain = domain }
    /// Sets `requestMethod`.
    public func setRequestMethod(_ method: String) { self.requestMethod = method }
    /// Sets `delegate`.
    public func setDelegate(_ delegate: AnyObject?) { self.delegate = delegate }
    /// Sets `delegate`.
    public func setClientDelegate(_ delegate: AnyObject?) { self.delegate = delegate }
    /// Sets `uploadProgressDelegate`.
    public func setUploadProgressDelegate(_ delegate: AnyObject?) { uploadProgressDelegate = delegate }
    /// Sets `downloadProgressDelegate`.
    public func setDownloadProgressDelegate(_ delegate: AnyObject?) { downloadProgressDelegate = delegate }
    /// Sets `showAccurateProgress`.
    public func setShowAccurateProgress(_ isAccurate: Bool = true) { self.showAccurateProgress = isAccurate }
    /// Sets `clientCertificateIdentity`.
    public func setClientCertificateIdentity(_ identity: URLSessionTransport.ClientCertificate?) {
        self.clientCertificateIdentity = identity
    }
    /// Sets `isTracingEnabled`.
    public func enableTracing(_ isEnabled: Bool = true) { self.isTracingEnabled = isEnabled }

    // The selectors: a text such as "requestDone:", or `#selector(requestDone)`.

    /// Sets `didStartSelector`.
    public func setDidStartSelector(_ selector: some CustomStringConvertible) {
        self.didStartSelector = selector.description
    }
    /// Sets `didFinishSelector`.
    public func setDidFinishSelector(_ selector: some CustomStringConvertible) {
        self.didFinishSelector = selector.description
    }
    /// Sets `didFailSelector`.
    public func setDidFailSelector(_ selector: some CustomStringConvertible) {
        self.didFailSelector = selector.description
    }
    /// Sets `didReceiveDataSelector`.
    public func setDidReceiveDataSelector(_ selector: some CustomStringConvertible) {
        self.didReceiveDataSelector = selector.description
    }
    /// Sets `didReceiveResponseHeadersSelector`.
    public func setDidReceiveResponseHeadersSelector(_ selector: some CustomStringConvertible) {
        self.didReceiveResponseHeadersSelector = selector.description
    }
    /// Sets `didReceiveAuthChallengeSelector`.
    public func setDidReceiveAuthChallengeSelector(_ selector: some CustomStringConvertible) {
        self.didReceiveAuthChallengeSelector = selector.description
    }
    /// Sets `willRedirectSelector`.
    public func setWillRedirectSelector(_ selector: some CustomStringConvertible) {
        self.willRedirectSelector = selector.description
    }
}

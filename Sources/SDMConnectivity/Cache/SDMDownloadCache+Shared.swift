extension SDMDownloadCache {
    /// The cache of the shared session.
    public static func instance() -> SDMDownloadCache { SDMSession.shared.downloadCache }

    /// ``instance()`` under its name in ASIHTTPRequest.
    public static func sharedCache() -> SDMDownloadCache { instance() }
}

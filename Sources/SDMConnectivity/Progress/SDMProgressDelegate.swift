/// Receives the progress of a request or a queue.
///
/// Called on the session's delivery, by default the main queue: at most every 16 ms for each direction of a request,
/// with the sum of what has come meanwhile, and before the end of the request. Counts may be negative: a retry takes
/// back what was reported. A delegate need not conform: objects with methods by selector are called too, such as a
/// progress view with `setProgress:`.
public protocol SDMProgressDelegate: SDMRequestingProgressDelegate {
    /// The completed fraction, 0 to 1.
    func setProgress(_ progress: Float)
    /// Change of the number of received bytes.
    func request(_ request: SDMHttpRequest, didReceiveBytes count: Int64)
    /// Change of the number of sent bytes.
    func request(_ request: SDMHttpRequest, didSendBytes count: Int64)
    /// Change of the number of bytes to receive.
    func request(_ request: SDMHttpRequest, incrementDownloadSizeBy count: Int64)
    /// Change of the number of bytes to send.
    func request(_ request: SDMHttpRequest, incrementUploadSizeBy count: Int64)
}

extension SDMProgressDelegate {
    /// Does nothing.
    public func setProgress(_ progress: Float) {}
    /// Calls the form of the vendor's header.
    public func request(_ request: SDMHttpRequest, didReceiveBytes count: Int64) {
        header.request(request, didReceiveBytes: count)
    }
    /// Calls the form of the vendor's header.
    public func request(_ request: SDMHttpRequest, didSendBytes count: Int64) {
        header.request(request, didSendBytes: count)
    }
    /// Calls the form of the vendor's header.
    public func request(_ request: SDMHttpRequest, incrementDownloadSizeBy count: Int64) {
        header.request(request, incrementDownloadSizeBy: count)
    }
    /// Calls the form of the vendor's header.
    public func request(_ request: SDMHttpRequest, incrementUploadSizeBy count: Int64) {
        header.request(request, incrementUploadSizeBy: count)
    }
}

extension SDMProgressDelegate {
    /// The delegate with only the forms of the vendor's header, so that a call means one of them.
    private var header: any SDMRequestingProgressDelegate { self }
}

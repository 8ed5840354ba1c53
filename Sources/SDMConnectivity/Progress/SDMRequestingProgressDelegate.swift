/// The methods of ``SDMProgressDelegate`` with the request's type of the vendor's header.
///
/// As Swift imported it: plain, and implicitly unwrapped.
///
/// The defaults of ``SDMProgressDelegate`` call them, so a delegate may have either form.
public protocol SDMRequestingProgressDelegate: AnyObject {
    /// ``SDMProgressDelegate/request(_:didReceiveBytes:)``
    func request(_ request: any SDMRequesting, didReceiveBytes count: Int64)
    /// ``SDMProgressDelegate/request(_:didReceiveBytes:)``
    func request(_ request: (any SDMRequesting)!, didReceiveBytes count: Int64)
    /// ``SDMProgressDelegate/request(_:didSendBytes:)``
    func request(_ request: any SDMRequesting, didSendBytes count: Int64)
    /// ``SDMProgressDelegate/request(_:didSendBytes:)``
    func request(_ request: (any SDMRequesting)!, didSendBytes count: Int64)
    /// ``SDMProgressDelegate/request(_:incrementDownloadSizeBy:)``
    func request(_ request: any SDMRequesting, incrementDownloadSizeBy count: Int64)
    /// ``SDMProgressDelegate/request(_:incrementDownloadSizeBy:)``
    func request(_ request: (any SDMRequesting)!, incrementDownloadSizeBy count: Int64)
    /// ``SDMProgressDelegate/request(_:incrementUploadSizeBy:)``
    func request(_ request: any SDMRequesting, incrementUploadSizeBy count: Int64)
    /// ``SDMProgressDelegate/request(_:incrementUploadSizeBy:)``
    func request(_ request: (any SDMRequesting)!, incrementUploadSizeBy count: Int64)
}

extension SDMRequestingProgressDelegate {
    /// Calls the form with an unwrapped parameter.
    public func request(_ request: any SDMRequesting, didReceiveBytes count: Int64) {
        self.request(Optional(request), didReceiveBytes: count)
    }
    /// Does nothing.
    public func request(_ request: (any SDMRequesting)!, didReceiveBytes count: Int64) {}
    /// Calls the form with an unwrapped parameter.
    public func request(_ request: any SDMRequesting, didSendBytes count: Int64) {
        self.request(Optional(request), didSendBytes: count)
    }
    /// Does nothing.
    public func request(_ request: (any SDMRequesting)!, didSendBytes count: Int64) {}
    /// Calls the form with an unwrapped parameter.
    public func request(_ request: any SDMRequesting, incrementDownloadSizeBy count: Int64) {
        self.request(Optional(request), incrementDownloadSizeBy: count)
    }
    /// Does nothing.
    public func request(_ request: (any SDMRequesting)!, incrementDownloadSizeBy count: Int64) {}
    /// Calls the form with an unwrapped parameter.
    public func request(_ request: any SDMRequesting, incrementUploadSizeBy count: Int64) {
        self.request(Optional(request), incrementUploadSizeBy: count)
    }
    /// Does nothing.
    public func request(_ request: (any SDMRequesting)!, incrementUploadSizeBy count: Int64) {}
}

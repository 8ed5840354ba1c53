import Delegation
import Foundation
import Synchronization

extension SDMNetworkQueue {
    /// Receives the calls of the selectors; held weakly. See `SelectorTarget`.
    ///
    /// For the selectors `requestStarted:`, `requestFinished:`, `requestFailed:`, `request:willRedirectToURL:` and
    /// `request:didReceiveResponseHeaders:`, an ``SDMHttpRequestDelegate`` gets the calls of its methods.
    ///
    /// A request without a delegate of its own asks it for credentials, if it has the method
    /// `authenticationNeededForRequest:`, for those of a proxy `proxyAuthenticationNeededForRequest:`.
    public var delegate: AnyObject? {
        get { settings.withLock(\.delegate).object }
        set { settings.replace(\.delegate, with: WeakTarget(newValue)) }
    }

    /// Receives the progress of all request bodies; held weakly. See ``SDMProgressDelegate``.
    public var uploadProgressDelegate: AnyObject? {
        get { settings.withLock(\.uploadProgressDelegate).object }
        set {
            settings.replace(\.uploadProgressDelegate, with: ProgressReceiver.target(newValue, callbacks, warn: warn))
        }
    }

    /// Receives the progress of all response bodies; held weakly. See ``SDMProgressDelegate``.
    public var downloadProgressDelegate: AnyObject? {
        get { settings.withLock(\.downloadProgressDelegate).object }
        set {
            settings.replace(\.downloadProgressDelegate, with: ProgressReceiver.target(newValue, callbacks, warn: warn))
        }
    }

    /// True to count progress in bytes, false to count each request as one unit; default false.
    public var showAccurateProgress: Bool {
        get { settings.withLock(\.showAccurateProgress) }
        set { settings.replace(\.showAccurateProgress, with: newValue) }
    }

    /// Values of the app; default nil.
    public var userInfo: [AnyHashable: Any]! {
        get { settings.withLock(\.userInfo).values }
        set { settings.replace(\.userInfo, with: UserInfo(values: newValue)) }
    }

    /// Calls the delegate at the end of a request, after the request's own delegate.
    func deliverEnd(of request: SDMHttpRequest, _ error: SDMError?) {
        if error == nil {
            perform(\.requestDidFinishSelector, "requestFinished:", of: request) { $0.requestFinished(request) }
        } else {
            perform(\.requestDidFailSelector, "requestFailed:", of: request) { $0.requestFailed(request) }
        }
    }

    /// Calls the delegate at each attempt of a request.
    func deliverStart(of request: SDMHttpRequest) {
        perform(\.requestDidStartSelector, "requestStarted:", of: request) { $0.requestStarted(request) }
    }

    /// Calls the delegate with the fields of a response.
    func deliver(_ headers: SDMResponseHeaders, of request: SDMHttpRequest) {
        perform(
            \.requestDidReceiveResponseHeadersSelector, "request:didReceiveResponseHeaders:", of: request,
            [headers.dictionary]
        ) { $0.request(request, didReceiveResponseHeaders: headers) }
    }

    /// True if the delegate decides about redirects.
    func decidesAboutRedirects(of request: SDMHttpRequest) -> Bool {
        let (target, selector) = settings.withLock { ($0.delegate, $0.requestWillRedirectSelector) }
        guard let object = target.object, let selector, !request.isHead else { return false }
        if Selectors.responds(object, to: selector) { return true }
        // Its default follows, so that the request's own delegate decides.
        if selector == Self.redirectSelector, object is any SDMHttpRequestDelegate { return request.delegate == nil }
        warnOfMissing(selector)
        return false
    }

    private static let redirectSelector = "request:willRedirectToURL:"

    /// Asks the delegate about a redirect.
    /// - Returns: false if it cannot be asked.
    func decide(about target: URL, of request: SDMHttpRequest) -> Bool {
        perform(\.requestWillRedirectSelector, Self.redirectSelector, of: request, [target]) {
            $0.request(request, willRedirectTo: target)
        }
    }

    /// True if the delegate has a method that supplies credentials.
    func suppliesCredentials(isProxy: Bool) -> Bool {
        guard let delegate else { return false }
        return delegate is any SDMHttpRequestDelegate
            || Selectors.responds(delegate, to: Self.credentialSelector(isProxy))
    }

    /// Asks the delegate for credentials, also for a request that the app does not know.
    /// - Returns: false if it cannot be asked.
    func askForCredentials(of request: SDMHttpRequest, isProxy: Bool) -> Bool {
        guard let delegate, !request.isSilenced else { return false }
        if let delegate = delegate as? any SDMHttpRequestDelegate {
            isProxy ? delegate.proxyAuthenticationNeeded(for: request) : delegate.authenticationNeeded(for: request)
            return true
        }
        return perform(Self.credentialSelector(isProxy), on: delegate, [request])
    }

    private static func credentialSelector(_ isProxy: Bool) -> String {
        isProxy ? "proxyAuthenticationNeededForRequest:" : "authenticationNeededForRequest:"
    }

    /// Calls the delegate when all requests have completed.
    func deliverDrain() {
        let (target, selector) = settings.withLock { ($0.delegate, $0.queueDidFinishSelector) }
        if let object = target.object, let selector { perform(selector, on: object, [self]) }
    }

    /// Calls a method of the delegate: the one with the selector, or without it that of the protocol.
    /// - Parameter standard: the selector of the protocol's method.
    /// - Returns: false if there is no such method.
    @discardableResult
    private func perform(
        _ path: KeyPath<QueueSettings, String?>, _ standard: String, of request: SDMHttpRequest, _ more: [Any] = [],
        _ call: (any SDMHttpRequestDelegate) -> Void
    ) -> Bool {
        let (target, selector) = settings.withLock { ($0.delegate, $0[keyPath: path]) }
        guard let object = target.object, let selector, !request.isHead else { return false }
        if selector == standard, let delegate = object as? any SDMHttpRequestDelegate,
            !Selectors.responds(object, to: selector)
        {
            call(delegate)
            return true
        }
        return perform(selector, on: object, [request] + more)
    }

    @discardableResult
    private func perform(_ selector: String, on object: AnyObject, _ arguments: [Any]) -> Bool {
        do throws(SelectorError) {
            if try Selectors.perform(selector, on: object, with: arguments) { return true }
            warnOfMissing(selector)
        } catch {
            warn("The queue's delegate cannot be called: \(error)")
        }
        return false
    }

    private func warnOfMissing(_ selector: String) {
        guard !selector.isEmpty else { return }
        warn(
            "The queue's delegate has no method \(selector.debugDescription); add it to the `selectors` of a "
                + "SelectorTarget, or declare it with @objc.")
    }
}

extension SDMHttpRequest {
    /// True for a request that the app does not know.
    fileprivate var isHead: Bool { state.withLock(\.membership.mainRequest) != nil }
}

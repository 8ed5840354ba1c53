import Delegation
import Foundation
import Synchronization

extension SDMNetworkQueue {
    /// Receives the calls of the selectors; held weakly. See `SelectorTarget`.
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
        set { settings.replace(\.uploadProgressDelegate, with: WeakTarget(newValue)) }
    }

    /// Receives the progress of all response bodies; held weakly. See ``SDMProgressDelegate``.
    public var downloadProgressDelegate: AnyObject? {
        get { settings.withLock(\.downloadProgressDelegate).object }
        set { settings.replace(\.downloadProgressDelegate, with: WeakTarget(newValue)) }
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
        perform(error == nil ? \.requestDidFinishSelector : \.requestDidFailSelector, of: request)
    }

    /// Calls the delegate at each attempt of a request.
    func deliverStart(of request: SDMHttpRequest) { perform(\.requestDidStartSelector, of: request) }

    /// Calls the delegate with the fields of a response.
    func deliver(_ headers: [String: String], of request: SDMHttpRequest) {
        perform(\.requestDidReceiveResponseHeadersSelector, of: request, [headers])
    }

    /// True if the delegate decides about redirects.
    func decidesAboutRedirects(of request: SDMHttpRequest) -> Bool {
        let (target, selector) = settings.withLock { ($0.delegate, $0.requestWillRedirectSelector) }
        guard let object = target.object, let selector, !request.isHead else { return false }
        return Selectors.responds(object, to: selector)
    }

    /// Asks the delegate about a redirect.
    /// - Returns: false if it cannot be asked.
    func decide(about target: URL, of request: SDMHttpRequest) -> Bool {
        perform(\.requestWillRedirectSelector, of: request, [target])
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
    func deliverDrain() { perform(\.queueDidFinishSelector, [self]) }

    @discardableResult
    private func perform(
        _ path: KeyPath<QueueSettings, String?>, of request: SDMHttpRequest, _ more: [Any] = []
    ) -> Bool {
        !request.isHead && perform(path, [request] + more)
    }

    /// - Returns: false if there is no such method.
    @discardableResult
    private func perform(_ path: KeyPath<QueueSettings, String?>, _ arguments: [Any]) -> Bool {
        let (target, selector) = settings.withLock { ($0.delegate, $0[keyPath: path]) }
        guard let object = target.object, let selector else { return false }
        return perform(selector, on: object, arguments)
    }

    private func perform(_ selector: String, on object: AnyObject, _ arguments: [Any]) -> Bool {
        do throws(SelectorError) {
            return try Selectors.perform(selector, on: object, with: arguments)
        } catch {
            warn("The queue's delegate cannot be called: \(error)")
            return false
        }
    }
}

extension SDMHttpRequest {
    /// True for a request that the app does not know.
    fileprivate var isHead: Bool { state.withLock(\.membership.mainRequest) != nil }
}

import Coordination
import Delegation
public import Foundation
import Synchronization

extension SDMHttpRequest {
    /// True when delegates are not called any more.
    var isSilenced: Bool { state.withLock(\.delivery.isSilenced) }

    var warn: @Sendable (String) -> Void { session.configuration.warn }

    /// Calls a method of the delegate: the protocol's if the delegate conforms and its selector is the default one,
    /// else the one with the selector.
    /// - Parameter selector: nil for a method without a setting.
    /// - Returns: false if there is no such method, and after `clearDelegatesAndCancel()`.
    @discardableResult
    func callDelegate(
        _ selector: KeyPath<SDMRequestSettings, String>?, default standard: String, arguments: [Any] = [],
        _ call: (any SDMHttpRequestDelegate) -> Void
    ) -> Bool {
        perform(state.withLock { $0.delegateCall(selector, default: standard) }, arguments, call)
    }

    private func perform(
        _ method: DelegateCall?, _ arguments: [Any], _ call: (any SDMHttpRequestDelegate) -> Void
    ) -> Bool {
        guard let method, let object = method.target.object else { return false }
        if method.selector == method.standard, let delegate = object as? any SDMHttpRequestDelegate {
            call(delegate)
            return true
        }
        return perform(method.selector, on: object, [self] + arguments)
    }

    /// Calls a method by its selector; false if the object has no such method or it takes other arguments.
    func perform(_ selector: String, on object: AnyObject, _ arguments: [Any]) -> Bool {
        do throws(SelectorError) {
            return try Selectors.perform(selector, on: object, with: arguments)
        } catch {
            warn("The delegate cannot be called: \(error)")
            return false
        }
    }

    /// Checks that the delegate's methods take as many arguments as they get.
    ///
    /// Warns of those that the app has named and that do not exist.
    /// - Throws: ``SDMError`` (`internalErrorWhileBuildingRequest`).
    func checkSelectors() throws(SDMError) {
        let (target, settings) = state.withLock { ($0.delivery.delegate, $0.settings) }
        guard let object = target.object else { return }
        for (selector, standard, count) in settings.selectors {
            if selector == standard, object is any SDMHttpRequestDelegate { continue }
            let found: Int?
            do throws(SelectorError) {
                found = try Selectors.argumentCount(of: selector, on: object)
            } catch {
                throw SDMError(
                    .internalErrorWhileBuildingRequest, "The delegate cannot be called: \(error.message)",
                    underlying: error)
            }
            if found == nil, selector != standard, !selector.isEmpty {
                warn(
                    "The delegate of \(description) has no method \(selector.debugDescription); add it to the "
                        + "`selectors` of a SelectorTarget, or declare it with @objc.")
            }
            guard let found, found != count else { continue }
            throw SDMError(
                .internalErrorWhileBuildingRequest,
                "The delegate's method \(selector.debugDescription) takes \(found) arguments and gets \(count); declare "
                    + "it as \(standard.debugDescription).")
        }
    }

    /// Warns of a delegate without any method that a request calls; called where delegates are called, since there an
    /// isolated conformance is seen.
    ///
    /// Of a missing method that the app has named there is another warning.
    func warnIfDelegateIsSilent() {
        let (target, settings) = state.withLock { ($0.delivery.target, $0.settings) }
        guard let object = target?.object, !(object is any SDMHttpRequestDelegate) else { return }
        let named = settings.selectors.contains { $0.selector != $0.standard && !$0.selector.isEmpty }
        let selectors = settings.selectors.map { $0.standard } + SDMRequestSettings.fixedSelectors
        guard !named, !selectors.contains(where: { Selectors.responds(object, to: $0) }) else { return }
        warn(
            "The delegate of \(description) is not called: \(type(of: object)) has no method for it; let it "
                + "conform to `SDMHttpRequestDelegate`, or add methods to the `selectors` of a SelectorTarget.")
    }

    // MARK: Received bytes

    /// Delivers bytes of the body to the delegate. Without a method for them, `responseData` keeps them.
    func deliver(_ data: Data) {
        let method = state.withLock { state in
            state.delivery.willDeliverData()
            return state.delegateCall(\.didReceiveDataSelector, default: "request:didReceiveData:")
        }
        let wasCalled =
            perform(method, [data]) { $0.request(self, didReceive: data) } || deliverMisspelled(data, method)
        state.withLock { $0.didDeliverData(wasCalled: wasCalled) }
    }

    /// Calls the method as the vendor's documents spell it, too.
    private func deliverMisspelled(_ data: Data, _ method: DelegateCall?) -> Bool {
        guard let method, method.selector == method.standard, let object = method.target.object else { return false }
        return perform("request:didRecieveData:", on: object, [self, data])
    }

    /// Notes that the delegate has no method for received bytes: the default of all forms was called.
    func keepReceivedData() { state.withLock { $0.delivery.keepsData() } }

    // MARK: Decisions

    /// Continues after `request(_:willRedirectTo:)`, to this URL.
    public func redirect(to url: URL) { state.withLock(\.delivery.redirectDecision)?.fulfill(url) }

    /// ``redirect(to:)`` under the vendor's name.
    public func redirectToURL(_ url: URL) { redirect(to: url) }

    /// Continues after `authenticationNeeded(for:)`, with credentials or another `url`.
    ///
    /// Credentials are `username` and `password`, for a proxy `proxyUsername` and `proxyPassword`; another `url` needs
    /// none. Without either, and after ``AUTHENTICATION_RETRY_COUNT`` attempts with credentials, the request fails as
    /// after ``cancelAuthentication()``.
    public func retryUsingSuppliedCredentials() { state.withLock(\.delivery.credentialDecision)?.fulfill(.retry) }

    /// Fails the request with `authentication`, after `authenticationNeeded(for:)`, and those that wait for the same
    /// decision.
    public func cancelAuthentication() { state.withLock(\.delivery.credentialDecision)?.fulfill(.cancel) }

    /// Notes that the delegate has no method for the question: the default of all forms was called.
    func leaveAuthentication() { state.withLock(\.delivery.credentialDecision)?.fulfill(.undecided) }
}

import Authentication
import Coordination
public import Delegation
import Foundation

// Challenge handlers, and the display name of the device.

extension WLClient {
    /// Registers a handler, instead of an earlier one of the same name. The client retains it.
    ///
    /// A handler of another class than those two is reported to ``WLConfiguration/warn`` and ignored.
    public func registerChallengeHandler(_ handler: BaseChallengeHandler!) {
        guard let handler else { return configuration.warn("A challenge handler is nil, and is ignored.") }
        guard !handlers.register(handler, with: state) else { return }
        configuration.warn(
            "The handler \(handler.name) is ignored; derive it from SecurityCheckChallengeHandler or "
                + "GatewayChallengeHandler.")
    }
    /// ``registerChallengeHandler(_:)`` with the label of the vendor's Swift class.
    public func registerChallengeHandler(challengeHandler: BaseChallengeHandler!) {
        registerChallengeHandler(challengeHandler)
    }

    /// The handler of a security check; nil without one.
    public func getChallengeHandler(bySecurityCheck name: String!) -> SecurityCheckChallengeHandler! {
        name.flatMap { handlers.check($0)?.handler }
    }

    /// All handlers by name; initially none. Of a security check and a gateway of one name, it has that of the check.
    public func getAllChallengeHandlers() -> [AnyHashable: Any]! {
        Dictionary<AnyHashable, Any>(handlers.all.handler.map { (AnyHashable($0.name), $0 as Any) }) { first, _ in first
        }
    }

    /// Sets the display name of the device in the registration.
    ///
    /// It is the attribute `deviceDisplayName`; the vendor has not published its name.
    @discardableResult
    public func setDeviceDisplayName(
        _ displayName: String!, withCompletionHandler completionHandler: @escaping ((any Error)?) -> Void
    ) -> WLCall {
        // On this thread: the last call wins.
        authorization.setDisplayName(displayName ?? "")
        return start { [self] in
            try await outsideOfHandlers { try await authorization.updateRegistration() }
        } completion: { result in
            if case .failure(let error) = result { completionHandler(error) } else { completionHandler(nil) }
        }
    }
    /// ``setDeviceDisplayName(_:withCompletionHandler:)`` with the labels of the vendor's Swift class.
    @discardableResult
    public func setDeviceDisplayName(
        displayName: String!, onCompletion: @escaping ((any Error)?) -> Void
    ) -> WLCall {
        setDeviceDisplayName(displayName, withCompletionHandler: onCompletion)
    }

    /// Runs an exchange, for which calls of its handlers do not wait.
    /// - Throws: ``WLError`` (`alreadyInProgress`) in a call of a handler that has not met its own challenge.
    private func outsideOfHandlers<Value>(_ exchange: () async throws -> Value) async throws -> Value {
        guard !credentials.isRefreshing else { throw WLError.calledByHandler() }
        return try await RunningWork.run(for: credentials) { try await exchange() }
    }

    /// Reads the display name of the device from the registration; nil if it has none.
    @discardableResult
    public func getDeviceDisplayName(
        completionHandler: @escaping (String?, (any Error)?) -> Void
    ) -> WLCall {
        start { [self] in
            try await outsideOfHandlers { try await authorization.registeredDisplayName() }
        } completion: { result in
            switch result {
            case .success(let name): completionHandler(name, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }
    /// ``getDeviceDisplayName(completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func getDeviceDisplayName(onCompletion: @escaping (String?, (any Error)?) -> Void) -> WLCall {
        getDeviceDisplayName(completionHandler: onCompletion)
    }
}

import Coordination
public import Delegation
public import HTTPMessages
public import Transport

// Login and logout. Paths and field names are this project's; the values are the vendor's.

extension ServerAgent {
    /// Logs in to the agent's scope. Contents of principal and secret depend on the realm.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, with the server's reason in ``AKError/serverError``; the current session then stays.
    @discardableResult
    public func login(
        principal: JSONValue, secret: JSONValue, observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> AKSession {
        try await loginCall(principal, secret).session(observer).session
    }

    /// Logs in to the agent's scope, blocking the thread.
    /// - Parameters:
    ///   - principal: the user's identity; its contents depend on the realm. Types as in `AKJSONHTTPBody(object:)`.
    ///   - secret: the credentials, likewise.
    ///   - observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, with the server's reason in ``AKError/serverError``; the current session then stays.
    @discardableResult
    @available(*, noasync, message: "loginSync blocks its thread; use 'try await login(...)' in async code.")
    public func loginSync(
        principal: [String: Any], secret: [String: Any], observer: (any TransferObserver)? = nil
    ) throws(AKError) -> AKSession {
        let call = try loginCall(principal, secret)
        do {
            return try Blocking.run { try await call.session(observer).session }
        } catch {
            throw AKError(error)
        }
    }

    /// Logs in to the agent's scope and delivers the result to a delegate.
    /// - Parameters:
    ///   - principal: the user's identity; its contents depend on the realm. Types as in `AKJSONHTTPBody(object:)`.
    ///   - secret: the credentials, likewise.
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - delegate: retained until the call is done.
    @discardableResult
    public func login(
        principal: [String: Any], secret: [String: Any], observer: (any TransferObserver)? = nil,
        delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        let call = Result { () throws(AKError) in try loginCall(principal, secret) }
        return start(delegate: delegate) {
            try await call.get().session(observer).response
        }
    }

    /// Logs in to the agent's scope and passes session or error to a closure.
    /// - Parameters:
    ///   - principal: the user's identity; its contents depend on the realm. Types as in `AKJSONHTTPBody(object:)`.
    ///   - secret: the credentials, likewise.
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on `delivery`, then released.
    @discardableResult
    public func login(
        principal: [String: Any], secret: [String: Any], observer: (any TransferObserver)? = nil,
        completion: @escaping (Result<AKSession, AKError>) -> Void
    ) -> AKCall {
        let call = Result { () throws(AKError) in try loginCall(principal, secret) }
        return start({ try await call.get().session(observer).session }, completion: completion)
    }

    /// Logs out. The local session is dropped even if the request fails; without a session nothing is sent.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``.
    public func logout(observer: (any TransferObserver)? = nil) async throws(AKError) {
        _ = try await logoutCall()?.response(observer)
    }

    /// Logs out, blocking the thread. The local session is dropped even if the request fails; without a session nothing
    /// is sent.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``.
    @available(*, noasync, message: "logoutSync blocks its thread; use 'try await logout()' in async code.")
    public func logoutSync(observer: (any TransferObserver)? = nil) throws(AKError) {
        guard let call = try logoutCall() else { return }
        do {
            _ = try Blocking.run { try await call.response(observer) }
        } catch {
            throw AKError(error)
        }
    }

    /// Logs out and delivers the result to a delegate. The local session is dropped at once. The request is sent even
    /// without a session, so that the delegate receives a response.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    @discardableResult
    public func logout(
        observer: (any TransferObserver)? = nil, delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        let call = Result { () throws(AKError) in try logoutCall(always: true) }
        return start(delegate: delegate) {
            guard let call = try call.get() else { throw AKError.notInitialized }
            return try await call.response(observer)
        }
    }

    /// Logs out and passes success or the error to a closure. The local session is dropped at once; without a session
    /// nothing is sent and the call succeeds.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on `delivery`, then released.
    @discardableResult
    public func logout(
        observer: (any TransferObserver)? = nil, completion: @escaping (Result<Void, AKError>) -> Void
    ) -> AKCall {
        let call = Result { () throws(AKError) in try logoutCall() }
        return start({ _ = try await call.get()?.response(observer) }, completion: completion)
    }

    private func loginCall(_ principal: Any, _ secret: Any) throws(AKError) -> LoginCall<Base> {
        let login = scope.beginLogin()
        let data = AKHTTPRequestData()
        data.bodyData = AKJSONHTTPBody(object: ["principal": principal, "secret": secret])
        let prepared = try prepared(by: login.start.value.signedOut) { () throws(AKError) in
            try call(.post, "/auth/login", data, nil)
        }
        return LoginCall(
            call: prepared.forLogin(), scope: scope, login: login, principal: try? JSONValue(foundation: principal),
            secret: try? JSONValue(foundation: secret))
    }

    /// Prepares the logout request and drops the session; nil without a session, unless `always`.
    private func logoutCall(always: Bool = false) throws(AKError) -> AgentCall<Base>? {
        let state = scope.beginLogout()
        guard state.session != nil || always else { return nil }
        return try prepared(by: state) { () throws(AKError) in try call(.post, "/auth/logout", nil, nil) }
            .with(state.session)
    }

    private func prepared(
        by state: AKAppScope.State, _ call: () throws(AKError) -> AgentCall<Base>
    ) throws(AKError) -> AgentCall<Base> {
        try scope.prepareCall(by: state) { Result(catching: call) }.get()
    }
}

/// A prepared login.
private struct LoginCall<Base: Transport>: Sendable {
    let call: AgentCall<Base>
    let scope: AKAppScope
    let login: AKAppScope.Login
    /// Nil if they are no JSON, with which the call fails.
    let principal, secret: JSONValue?

    /// Sends the login, and starts its session.
    func session(
        _ observer: (any TransferObserver)?
    ) async throws(AKError) -> (session: AKSession, response: AKHTTPResponse) {
        let response = try await call.response(observer)
        guard response.httpResponse.head.keptOrigin else {
            throw AKError(
                .parse, "The login was redirected to another server, which must not choose the session.",
                response: response)
        }
        guard let body = try response.json(), let session = AKSession(loginResponse: body) else {
            throw AKError(
                .parse, "The login response has no `token` string that is a valid header value.", response: response)
        }
        guard scope.begin(session, by: login, of: principal, secret) else {
            throw AKError(
                .cancelled,
                "The login has no effect: the app has logged out, set another server or logged in again meanwhile.")
        }
        return (session, response)
    }
}

extension AgentCall {
    /// Without a session, also of the agent's data: the server would refuse a stale one, and a 401 for wrong
    /// credentials would drop a valid one.
    fileprivate func forLogin() -> AgentCall {
        var request = request
        request.options.hasSecretBody = true
        if let name = try? HTTPFieldName(sessionHeader) { request.fields.remove(name) }
        return AgentCall(transport: transport, request: request, onResponse: nil)
    }

    /// With the session that the logout ends, in place of one in the agent's data.
    fileprivate func with(_ session: AKSession?) throws(AKError) -> AgentCall {
        guard let session else { return self }
        var request = request
        do throws(HTTPMessageError) {
            try request.fields.set(sessionHeader, to: session.token)
        } catch {
            throw AKError(unsendable: error)
        }
        return AgentCall(transport: transport, request: request, onResponse: onResponse)
    }
}

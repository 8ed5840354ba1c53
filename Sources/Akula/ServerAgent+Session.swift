public import Delegation
public import HTTPMessages

// Logging in and out. The paths and the names of the fields are this project's; the values in them are the vendor's.

extension ServerAgent {
    /// Logs in to the agent's scope. What principal and secret hold depends on the realm.
    /// - Throws: ``AKError``; the server's reason is in ``AKError/serverError``. A session that was there stays then.
    @discardableResult
    public func login(principal: JSONValue, secret: JSONValue) async throws(AKError) -> AKSession {
        try begin(try await loginCall(principal, secret).response())
    }

    /// Logs in to the agent's scope and blocks the thread until the response is there.
    /// - Parameters:
    ///   - principal: who it is, as the realm wants it: what `AKJSONHTTPBody(object:)` takes.
    ///   - secret: what proves it, likewise.
    /// - Throws: ``AKError``; the server's reason is in ``AKError/serverError``. A session that was there stays then.
    @discardableResult
    @available(*, noasync, message: "loginSync blocks its thread; use 'try await login(...)' in async code.")
    public func loginSync(principal: [String: Any], secret: [String: Any]) throws(AKError) -> AKSession {
        let call = try loginCall(principal, secret)
        do {
            return try begin(try Blocking.run { try await call.response() })
        } catch {
            throw AKError(error)
        }
    }

    /// Logs in to the agent's scope and delivers the result to a delegate, after the session has begun.
    /// - Parameters:
    ///   - principal: who it is, as the realm wants it: what `AKJSONHTTPBody(object:)` takes.
    ///   - secret: what proves it, likewise.
    ///   - delegate: kept until the call is done.
    @discardableResult
    public func login(
        principal: [String: Any], secret: [String: Any], delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        let call = Result { () throws(AKError) in try loginCall(principal, secret) }
        return start(delegate: delegate) {
            let response = try await call.get().response()
            _ = try self.begin(response)
            return response
        }
    }

    /// Logs in to the agent's scope and passes the session or the error to a closure.
    /// - Parameters:
    ///   - principal: who it is, as the realm wants it: what `AKJSONHTTPBody(object:)` takes.
    ///   - secret: what proves it, likewise.
    ///   - completion: called once, where ``delivery`` says; kept until then.
    @discardableResult
    public func login(
        principal: [String: Any], secret: [String: Any],
        completion: @escaping (Result<AKSession, AKError>) -> Void
    ) -> AKCall {
        let call = Result { () throws(AKError) in try loginCall(principal, secret) }
        return start({ try self.begin(try await call.get().response()) }, completion: completion)
    }

    /// Logs out. The session is dropped here whatever the server says; without one, nothing happens.
    /// - Throws: ``AKError``.
    public func logout() async throws(AKError) { _ = try await logoutCall()?.response() }

    /// Logs out and blocks the thread until the response is there. The session is dropped here whatever the server says;
    /// without one, nothing happens.
    /// - Throws: ``AKError``.
    @available(*, noasync, message: "logoutSync blocks its thread; use 'try await logout()' in async code.")
    public func logoutSync() throws(AKError) {
        guard let call = try logoutCall() else { return }
        do {
            _ = try Blocking.run { try await call.response() }
        } catch {
            throw AKError(error)
        }
    }

    /// Logs out and delivers the result to a delegate. The session is dropped at once, whatever the server says. The
    /// request is sent even without a session, so that there is a response to deliver.
    @discardableResult
    public func logout(delegate: (any AKHTTPResponseDelegate)?) -> AKCall {
        let call = Result { () throws(AKError) in try logoutCall(always: true) }
        return start(delegate: delegate) {
            guard let call = try call.get() else { throw AKError.notInitialized }
            return try await call.response()
        }
    }

    /// Logs out and passes success or the error to a closure. The session is dropped at once, whatever the server says;
    /// without one, nothing is sent and the call succeeds.
    /// - Parameter completion: called once, where ``delivery`` says; kept until then.
    @discardableResult
    public func logout(completion: @escaping (Result<Void, AKError>) -> Void) -> AKCall {
        let call = Result { () throws(AKError) in try logoutCall() }
        return start({ _ = try await call.get()?.response() }, completion: completion)
    }

    private func loginCall(_ principal: Any, _ secret: Any) throws(AKError) -> AgentCall<Base> {
        let data = AKHTTPRequestData()
        data.bodyData = AKJSONHTTPBody(object: ["principal": principal, "secret": secret])
        // A session that is there has no say in who logs in: a stale one would be refused in place of the new login,
        // and a refused login would end it.
        return try call(.post, "/auth/login", data, nil).withoutSession()
    }

    /// The call that tells the server; nil when there is nobody to log out.
    private func logoutCall(always: Bool = false) throws(AKError) -> AgentCall<Base>? {
        guard let session = scope.session else { return always ? try call(.post, "/auth/logout", nil, nil) : nil }
        defer { scope.end(token: session.token) }
        return try call(.post, "/auth/logout", nil, nil)
    }

    private func begin(_ response: AKHTTPResponse) throws(AKError) -> AKSession {
        guard let answer = try response.json(), let session = AKSession(answer) else {
            throw AKError(.parse, "The answer to the login holds no token that can be sent.", response: response)
        }
        scope.begin(session)
        return session
    }
}

extension AgentCall {
    fileprivate func withoutSession() -> AgentCall {
        var request = request
        if let name = try? HTTPFieldName(sessionHeader) { request.fields.remove(name) }
        return AgentCall(transport: transport, request: request, onResponse: nil)
    }
}

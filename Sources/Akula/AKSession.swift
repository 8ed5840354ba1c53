public import Delegation
public import HTTPMessages
public import PatchbayErrors
public import Transport

/// A session with an Akula server.
public struct AKSession: Hashable, Sendable {
    /// The session token, a secret.
    public let token: String
    /// Sliding timeout, restarted by each request; nil if the server sent none.
    public let timeout: Duration?
    /// User information from the server, if any.
    public let user: JSONValue?

    /// Creates a session.
    public init(token: String, timeout: Duration? = nil, user: JSONValue? = nil) {
        self.token = token
        self.timeout = timeout
        self.user = user
    }

    /// The session of ``AKAppScope/shared``; nil before login, after logout and after expiry.
    public static var current: AKSession? { AKAppScope.shared.session }

    /// Parses a login response; nil unless it has a non-empty token that is a valid header value.
    init?(loginResponse response: JSONValue) {
        guard let token = response["token"]?.string, !token.isEmpty,
            (try? HTTPFields([sessionHeader: token]))?[sessionHeader] == token
        else { return nil }
        let timeout = response["timeout"]?.integer.flatMap { $0 > 0 ? Duration.milliseconds($0) : nil }
        // `JSONValue?.none`, because a plain `nil` would be a JSON null here.
        let user = response["user"].flatMap { $0.isNull ? JSONValue?.none : $0 }
        self.init(token: token, timeout: timeout, user: user)
    }
}

extension AKSession: RedactedStringConvertible {
    /// The session without its token.
    public var description: String {
        "session, \(timeout.map { "expires \($0) after the last request" } ?? "does not expire")"
    }
}

extension AKSession {
    /// Logs in to ``AKAppScope/shared``, blocking the thread. Contents of principal and secret depend on the realm.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``; the server's reason is in ``AKError/serverError``.
    @discardableResult
    @available(*, noasync, message: "loginSync blocks its thread; use 'try await login(...)' in async code.")
    public static func loginSync(
        principal: [String: Any], secret: [String: Any], observer: (any TransferObserver)? = nil
    ) throws(AKError) -> AKSession {
        try AKServerAgent().loginSync(principal: principal, secret: secret, observer: observer)
    }

    /// Logs in to ``AKAppScope/shared`` and delivers the result to a delegate, retained until done.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    @discardableResult
    public static func login(
        principal: [String: Any], secret: [String: Any], observer: (any TransferObserver)? = nil,
        delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        AKServerAgent().login(principal: principal, secret: secret, observer: observer, delegate: delegate)
    }

    /// Logs in to ``AKAppScope/shared`` and calls a closure on the main queue.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    @discardableResult
    public static func login(
        principal: [String: Any], secret: [String: Any], observer: (any TransferObserver)? = nil,
        completion: @escaping (Result<AKSession, AKError>) -> Void
    ) -> AKCall {
        AKServerAgent().login(principal: principal, secret: secret, observer: observer, completion: completion)
    }

    /// Logs in to ``AKAppScope/shared``. Contents of principal and secret depend on the realm.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``; the server's reason is in ``AKError/serverError``.
    @discardableResult
    public static func login(
        principal: JSONValue, secret: JSONValue, observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> AKSession {
        try await AKServerAgent().login(principal: principal, secret: secret, observer: observer)
    }

    /// Logs out of ``AKAppScope/shared``, blocking the thread. The local session is dropped even if the request fails.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``.
    @available(*, noasync, message: "logoutSync blocks its thread; use 'try await logout()' in async code.")
    public static func logoutSync(observer: (any TransferObserver)? = nil) throws(AKError) {
        try AKServerAgent().logoutSync(observer: observer)
    }

    /// Logs out of ``AKAppScope/shared`` and delivers the result to a delegate. The session is dropped at once.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    @discardableResult
    public static func logout(
        observer: (any TransferObserver)? = nil, delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        AKServerAgent().logout(observer: observer, delegate: delegate)
    }

    /// Logs out of ``AKAppScope/shared`` and calls a closure on the main queue. The session is dropped at once.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    @discardableResult
    public static func logout(
        observer: (any TransferObserver)? = nil, completion: @escaping (Result<Void, AKError>) -> Void
    ) -> AKCall {
        AKServerAgent().logout(observer: observer, completion: completion)
    }

    /// Logs out of ``AKAppScope/shared``. The local session is dropped even if the request fails.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``.
    public static func logout(observer: (any TransferObserver)? = nil) async throws(AKError) {
        try await AKServerAgent().logout(observer: observer)
    }
}

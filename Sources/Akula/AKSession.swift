public import Delegation
public import HTTPMessages
import Transport

/// A session with an Akula server.
public struct AKSession: Hashable, Sendable {
    /// What proves the session to the server; a secret.
    public let token: String
    /// How long the session lasts without a call; nil when the server does not say.
    public let timeout: Duration?
    /// What the server tells of the user; nil when it tells nothing.
    public let user: JSONValue?

    /// A session of these parts.
    public init(token: String, timeout: Duration? = nil, user: JSONValue? = nil) {
        self.token = token
        self.timeout = timeout
        self.user = user
    }

    /// The session of ``AKAppScope/shared``, or nil when nobody is logged in or the session has expired.
    public static var current: AKSession? { AKAppScope.shared.session }

    /// The session that a server's answer to a login tells of; nil when there is no token in it that a header can carry.
    init?(_ answer: JSONValue) {
        guard let token = answer["token"]?.string, !token.isEmpty,
            (try? HTTPFields([sessionHeader: token]))?[sessionHeader] == token
        else { return nil }
        let timeout = answer["timeout"]?.integer.flatMap { $0 > 0 ? Duration.milliseconds($0) : nil }
        // Not `nil` in a ternary, which would be a JSON null here.
        let user = answer["user"].flatMap { $0.isNull ? JSONValue?.none : $0 }
        self.init(token: token, timeout: timeout, user: user)
    }
}

extension AKSession: CustomStringConvertible, CustomReflectable {
    /// The session without its token.
    public var description: String { "session, \(timeout.map { "expires \($0) after a call" } ?? "does not expire")" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["session": description]) }
}

extension AKSession {
    /// Logs in to ``AKAppScope/shared`` and blocks the thread until the response is there. What principal and secret hold depends on the realm.
    /// - Throws: ``AKError``; the server's reason is in ``AKError/serverError``.
    @discardableResult
    @available(*, noasync, message: "loginSync blocks its thread; use 'try await login(...)' in async code.")
    public static func loginSync(principal: [String: Any], secret: [String: Any]) throws(AKError) -> AKSession {
        try AKServerAgent().loginSync(principal: principal, secret: secret)
    }

    /// Logs in to ``AKAppScope/shared`` and delivers the result to a delegate, which is kept until then.
    @discardableResult
    public static func login(
        principal: [String: Any], secret: [String: Any], delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        AKServerAgent().login(principal: principal, secret: secret, delegate: delegate)
    }

    /// Logs in to ``AKAppScope/shared`` and passes the session or the error to a closure on the main queue.
    @discardableResult
    public static func login(
        principal: [String: Any], secret: [String: Any],
        completion: @escaping (Result<AKSession, AKError>) -> Void
    ) -> AKCall {
        AKServerAgent().login(principal: principal, secret: secret, completion: completion)
    }

    /// Logs in to ``AKAppScope/shared``. What principal and secret hold depends on the realm.
    /// - Throws: ``AKError``; the server's reason is in ``AKError/serverError``.
    @discardableResult
    public static func login(principal: JSONValue, secret: JSONValue) async throws(AKError) -> AKSession {
        try await AKServerAgent().login(principal: principal, secret: secret)
    }

    /// Logs out of ``AKAppScope/shared`` and blocks the thread until the response is there. The session is dropped here
    /// whatever the server says.
    /// - Throws: ``AKError``.
    @available(*, noasync, message: "logoutSync blocks its thread; use 'try await logout()' in async code.")
    public static func logoutSync() throws(AKError) { try AKServerAgent().logoutSync() }

    /// Logs out of ``AKAppScope/shared`` and delivers the result to a delegate. The session is dropped at once.
    @discardableResult
    public static func logout(delegate: (any AKHTTPResponseDelegate)?) -> AKCall {
        AKServerAgent().logout(delegate: delegate)
    }

    /// Logs out of ``AKAppScope/shared`` and passes success or the error to a closure on the main queue. The session is
    /// dropped at once.
    @discardableResult
    public static func logout(completion: @escaping (Result<Void, AKError>) -> Void) -> AKCall {
        AKServerAgent().logout(completion: completion)
    }

    /// Logs out of ``AKAppScope/shared``. The session is dropped here whatever the server says.
    /// - Throws: ``AKError``.
    public static func logout() async throws(AKError) { try await AKServerAgent().logout() }
}

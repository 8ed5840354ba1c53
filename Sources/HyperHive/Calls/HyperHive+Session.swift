import Foundation
import HTTPMessages

// Sign-in and sign-out.

extension HyperHive {
    /// Signs in, and keeps the token for later calls.
    ///
    /// Of several sign-ins at once, the last one that began has effect.
    /// - Returns: the envelope; its token is redacted.
    /// - Throws: ``HyperHiveError``: `unauthorized` for a wrong login or password.
    @discardableResult
    public func signIn(_ login: String, password: String) async throws(HyperHiveError) -> HyperHiveResult {
        try await signIn(login, password: password, as: session.beginSignIn())
    }

    /// Signs in by the configuration, and in the order, of `begun`.
    func signIn(
        _ login: String, password: String, as begun: Session
    ) async throws(HyperHiveError) -> HyperHiveResult {
        let log = CallLog("auth")
        log.redact(password, login == password ? nil : password.removingPercentEncoding)
        let call = try Call(self, log, HyperHiveCallOptions(), as: begun)
        log.echo { $0.login = login }
        let response = try await call.run {
            try await call.send(wire.signInRequest(login: login, password: password, call.configuration))
        }
        guard let token = wire.token(in: response) else {
            throw log.error(
                .malformedResponse,
                .init(.curl, CurlCode.receive, "The response to the sign-in has no token; check the wire."))
        }
        log.redact(token)
        session.signIn(login, token: token, by: call.session)
        var result = log.result(.ok)
        result.raw = JSONValue(bodyOf: response).flatMap { log.redacted($0) }
        return result
    }

    /// Drops the token. Local data stays.
    public func signOut() { session.signOut() }

    /// True after a sign-in, until ``signOut()``, ``configure(_:)`` or a response with status 401.
    public var isSignedIn: Bool { session.value.token != nil }
}

extension JSONValue {
    /// A response's body: JSON, with numbers as strings that a `Double` cannot hold; else its text; nil for an empty
    /// one.
    init?(bodyOf response: HTTPResponse) {
        guard !response.body.isEmpty else { return nil }
        self =
            (try? JSONValue(parsing: response.body, keepingLongNumbers: true))
            ?? .string(String(decoding: response.body, as: UTF8.self))
    }
}

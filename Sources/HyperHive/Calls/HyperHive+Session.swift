import Coordination
import Foundation
import HTTPMessages
import ResponseDecoding
import Transport

// Sign-in and sign-out.

extension HyperHive {
    /// Signs in, and keeps the token for later calls.
    ///
    /// Of several sign-ins at once, the last one that began has effect.
    /// - Returns: the envelope; its token is redacted.
    /// - Throws: ``HyperHiveError``: `unauthorized` for a wrong login or password; `cancelled` if the app has signed
    ///   out, set another server or signed in again meanwhile; `malformedResponse` without a token, and after a
    ///   redirect to another server.
    @discardableResult
    public func signIn(_ login: String, password: String) async throws(HyperHiveError) -> HyperHiveResult {
        try await signIn(login, password: password, as: session.beginSignIn())
    }

    /// Signs in by the configuration, and in the order, of a sign-in that has begun.
    func signIn(
        _ login: String, password: String, as begun: ClientSession.SignIn
    ) async throws(HyperHiveError) -> HyperHiveResult {
        let log = CallLog("auth", isRead: true)
        log.redact(password, login == password ? nil : password.removingPercentEncoding)
        let call = try Call(self, log, HyperHiveCallOptions(), as: begun.start, isSignIn: true)
        log.echo { $0.login = login }
        let response = try await call.retrying {
            var request = try wire.signInRequest(login: login, password: password, call.configuration)
            // Where the wire may put the password.
            request.options.hasSecretBody = true
            let response = try await call.sendUncached(request)
            guard response.head.keptOrigin else {
                throw log.error(
                    .malformedResponse,
                    .init(
                        .curl, CurlCode.receive,
                        "The sign-in was redirected to another server, which must not choose the token; configure its "
                            + "host if it is right."))
            }
            return response
        }
        guard let token = wire.token(in: response) else {
            throw log.error(
                .malformedResponse,
                .init(.curl, CurlCode.receive, "The response to the sign-in has no token; check the wire."))
        }
        log.redact(token)
        let hasEffect = session.commit(begun, as: login) { state in
            state.token = token
            state.schema = nil
        }
        guard hasEffect else {
            throw HyperHiveError(
                .cancelled,
                "The sign-in has no effect: the app has signed out, set another server or signed in again meanwhile.",
                result: log.result(.cancel))
        }
        var result = log.result(.ok)
        result.raw = JSONValue(bodyOf: response).flatMap { log.redacted($0) }
        return result
    }

    /// Drops the token. Local data stays.
    public func signOut() { session.signOut() }

    /// True after a sign-in, until ``signOut()``, ``configure(_:)`` or a response with status 401.
    public var isSignedIn: Bool { session.read { $0.token != nil } }
}

extension JSONValue {
    /// A response's body: JSON, with numbers as strings that a `Double` cannot hold; else its text; nil for an empty
    /// one.
    init?(bodyOf response: HTTPResponse) {
        guard !response.body.isEmpty else { return nil }
        self =
            (try? JSONValue(parsing: response.jsonBody, keepingLongNumbers: true))
            ?? .string(String(decoding: response.body, as: UTF8.self))
    }
}

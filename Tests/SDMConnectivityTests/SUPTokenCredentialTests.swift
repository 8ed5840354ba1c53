import Authentication
import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// Whose password the fetch of a token sends, and what a write does after its rejection.
@Suite(.needsSlot) struct SUPTokenCredentialTests {
    private func session(_ transport: some Transport) -> SDMSession {
        let session = SDMSession.test(transport)
        session.isXCSRFEnabled = true
        return session
    }

    private func write(_ session: SDMSession, _ url: String = "http://example.com/p/Set") -> SDMHttpRequest {
        let write = session.get(URL(string: url))
        write.setRequestMethod("POST")
        return write
    }

    private static let rejecting: @Sendable (HTTPMessages.HTTPRequest) throws -> HTTPResponse = { request in
        request.response(
            .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]), body: Data("no".utf8))
    }

    private static let right = "Basic " + Data("ann:right".utf8).base64EncodedString()

    /// A server that demands `ann:right` and, for a write, the token.
    private static let protected: @Sendable (HTTPMessages.HTTPRequest) throws -> HTTPResponse = { request in
        guard request.fields[.authorization] == right else { return try rejecting(request) }
        guard request.method != .get else { return request.response(fields: try HTTPFields(["X-CSRF-Token": "T"])) }
        let isValid = request.fields["X-CSRF-Token"] == "T"
        return request.response(
            isValid ? .created : .forbidden, fields: try HTTPFields(isValid ? [:] : ["X-CSRF-Token": "Required"]))
    }

    /// The fields of the requests with another password than the right one.
    private func wrong(_ transport: ScriptedTransport) -> [String] {
        transport.requests.compactMap { $0.fields[.authorization] }.filter { $0 != Self.right }
    }

    @Test(arguments: [nil, SDMAuthenticationSchemeBasic])
    func `S17, S20, S38: a write and the fetch of its token send a wrong password once`(scheme: String?) async throws {
        let transport = ScriptedTransport(Self.rejecting)
        let write = write(session(transport))
        (write.username, write.password, write.authenticationScheme) = ("ann", "wrong", scheme)
        let error = try #require(await write.ended())
        #expect(error.errorCode == 3 && error.message.contains("rejected in the fetch of the CSRF token: POST"))
        #expect(write.responseStatusCode == 401 && write.responseString == "no")
        #expect(transport.requests.count { $0.fields[.authorization] != nil } == 1)
        // The server might execute it for the user of a cookie.
        #expect(transport.requests.allSatisfy { $0.method == .get })
    }

    /// Starts writes whose fetches wait until all writes wait for their tokens.
    private func endsTogether(_ writes: [SDMHttpRequest], _ session: SDMSession, _ gate: Gate) async throws -> [Int?] {
        let tasks = writes.map { write in Task { await write.ended()?.errorCode } }
        try await eventually("the writes wait") { session.sap.read(\.tokens).waiterCount == writes.count }
        gate.open()
        var codes: [Int?] = []
        for task in tasks { codes.append(await task.value) }
        return codes
    }

    @Test(arguments: [nil, SDMAuthenticationSchemeBasic])
    func `S17, S38: no write sends the password that the server has rejected in the fetch of another`(
        scheme: String?
    ) async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            try await gate.wait()
            return try Self.rejecting(request)
        }
        let session = session(transport)
        session.cookies.set(try Cookie("login", "bob", domain: "example.com"))
        let writes = (0..<2).map { _ in write(session) }
        for write in writes {
            (write.username, write.password, write.authenticationScheme) = ("ann", "wrong", scheme)
        }
        #expect(try await endsTogether(writes, session, gate) == [3, 3])
        #expect(transport.requests.count { $0.fields[.authorization] != nil } == 1)
        #expect(transport.requests.allSatisfy { $0.method == .get })
    }

    @Test func `S38: with a cookie of both, two writes at a time have the tokens of their own users`()
        async throws
    {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            try await gate.wait()
            guard request.method == .get else { return request.response(.created) }
            guard let field = request.fields[.authorization] else { return try Self.rejecting(request) }
            let user = field == "Basic " + Data("ann:p".utf8).base64EncodedString() ? "ann" : "carl"
            let fields = [("X-CSRF-Token", "token of \(user)"), ("Set-Cookie", "SAP_SESSIONID=\(user); Path=/")]
            return request.response(fields: try HTTPFields(fields))
        }
        let session = session(transport)
        session.cookies.set(try Cookie("lb", "1", domain: "example.com"))
        let writes = ["ann", "carl"].map { user in
            let write = write(session)
            (write.username, write.password) = (user, "p")
            write.addRequestHeader("X-Write", value: user)
            return write
        }
        #expect(try await endsTogether(writes, session, gate) == [nil, nil])
        let posts = transport.requests.filter { $0.method == .post }
        #expect(
            Set(posts.map { "\($0.fields["X-Write"] ?? "") \($0.fields["X-CSRF-Token"] ?? "")" }) == [
                "ann token of ann", "carl token of carl",
            ])
    }

    @Test func `S17, S38: after a wrong password in the fetch, the delegate is asked, and the write is sent once`()
        async throws
    {
        let transport = ScriptedTransport(Self.protected)
        let session = session(transport)
        session.cookies.set(try Cookie("login", "bob", domain: "example.com"))
        let write = write(session)
        (write.username, write.password, write.authenticationScheme) = ("ann", "wrong", SDMAuthenticationSchemeBasic)
        let delegate = LoggingDelegate(onChallenge: { request in
            (request.username, request.password) = ("ann", "right")
            request.retryUsingSuppliedCredentials()
        })
        write.delegate = delegate
        #expect(await write.ended() == nil && write.responseStatusCode == 201)
        #expect(delegate.events.count { $0 == "authentication needed" } == 1)
        let posts = transport.requests.filter { $0.method == .post }
        #expect(posts.map { $0.fields[.authorization] } == [Self.right])
        #expect(wrong(transport).count == 1)
    }

    /// A delegate that supplies the right password, and logs its calls in order.
    private final class FieldsDelegate: SDMHttpRequestDelegate, Sendable {
        let log = Watched<[String]>([])
        private func add(_ event: String) { log.update { $0.append(event) } }

        func requestStarted(_ request: SDMHttpRequest) { add("started") }
        func requestFinished(_ request: SDMHttpRequest) { add("finished") }
        func requestFailed(_ request: SDMHttpRequest) { add("failed") }
        func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: SDMResponseHeaders) {
            add("fields \(headers["WWW-Authenticate"] ?? "of \(request.responseStatusCode)")")
        }
        func authenticationNeeded(for request: SDMHttpRequest) {
            add("authentication needed")
            (request.username, request.password) = ("ann", "right")
            request.retryUsingSuppliedCredentials()
        }
    }

    @Test(arguments: [false, true])
    func `S16, S38: a write that is refused by the fetch calls its delegate as one that the server refuses`(
        isFetched: Bool
    ) async throws {
        let transport = ScriptedTransport { request in
            let isRight = request.fields[.authorization] == Self.right
            return try isRight ? request.response(.created) : Self.rejecting(request)
        }
        let session = session(transport)
        session.isXCSRFEnabled = isFetched
        let write = write(session)
        (write.username, write.password, write.authenticationScheme) = ("ann", "wrong", SDMAuthenticationSchemeBasic)
        let delegate = FieldsDelegate()
        write.delegate = delegate
        #expect(await write.ended() == nil)
        #expect(transport.requests.count { $0.method == .post } == (isFetched ? 1 : 2))
        let refused = ["started", #"fields Basic realm="r""#, "authentication needed"]
        #expect(delegate.log.value == refused + ["started", "fields of 201", "finished"])
    }

    /// What has no other credentials for a write.
    private enum Source: CaseIterable { case delegateOfBlockedCall, delegateWithoutMethod, emptyStorage }

    private final class EmptyStorage: SDMCredentialStorage {
        func credential(for space: ProtectionSpace) -> PasswordCredential? { nil }
        func save(_ credential: PasswordCredential, for space: ProtectionSpace) {}
        func remove(for space: ProtectionSpace) {}
    }

    @Test(arguments: Source.allCases)
    private func `S17, S38: a write with a wrong password is not sent without one`(source: Source) async throws {
        let transport = ScriptedTransport(Self.rejecting)
        let session = SDMSession.test(transport) { $0.savedCredentials = EmptyStorage() }
        session.isXCSRFEnabled = true
        let write = write(session)
        (write.username, write.password) = ("ann", "wrong")
        let (delegate, screen) = (LoggingDelegate(), SelectorScreen())
        switch source {
        case .delegateOfBlockedCall: write.delegate = delegate
        case .delegateWithoutMethod: write.delegate = screen
        case .emptyStorage: write.useKeychainPersistence = true
        }
        if source == .delegateOfBlockedCall {
            _ = try? await write.perform()
        } else {
            await write.ended()
        }
        #expect(write.error?.errorCode == 3 && write.responseString == "no")
        #expect(wrong(transport).count == 1)
        #expect(transport.requests.allSatisfy { $0.method == .get })
        withExtendedLifetime((delegate, screen)) {}
    }

    @Test(arguments: [nil, SDMAuthenticationSchemeBasic])
    func `S17, S38: a write with the right password waits for the fetch with a wrong one, and is sent with it`(
        scheme: String?
    ) async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            try await gate.wait()
            return try Self.protected(request)
        }
        let session = session(transport)
        let writes = ["wrong", "right"].map { password in
            let write = write(session)
            (write.username, write.password, write.authenticationScheme) = ("ann", password, scheme)
            return write
        }
        for (index, write) in writes.enumerated() {
            write.startAsynchronous()
            try await eventually("the write waits") { session.sap.read(\.tokens).waiterCount == index + 1 }
        }
        gate.open()
        #expect(await writes[0].ended()?.errorCode == 3)
        #expect(await writes[1].ended() == nil && writes[1].responseStatusCode == 201)
        let posts = transport.requests.filter { $0.method == .post }
        #expect(posts.allSatisfy { $0.fields[.authorization] == Self.right })
        #expect(wrong(transport).count == 1)
    }

    @Test func `S38: after its user is rejected, a write and the fetch of its token have the user of the URL`()
        async throws
    {
        let transport = ScriptedTransport(Self.protected)
        let write = write(session(transport), "http://ann:right@example.com/p/Set")
        (write.username, write.password) = ("bob", "wrong")
        #expect(await write.ended() == nil && write.responseStatusCode == 201)
        #expect(transport.requests.count { $0.method == .post } == 1)
        #expect(wrong(transport).count == 1)
    }

    @Test func `S38, S47: the fetch for the target of a redirect has the password that a delegate supplies for it`()
        async throws
    {
        let transport = ScriptedTransport { request in
            guard request.url.host() == "a.example" else { return try Self.protected(request) }
            guard request.method == .post else { return request.response() }
            let status = try #require(HTTPStatus(307))
            return request.response(status, fields: try HTTPFields(["Location": "http://b.example/p/Set"]))
        }
        let write = write(session(transport), "http://a.example/p/Set")
        write.useSessionPersistence = false
        let delegate = LoggingDelegate(onChallenge: { request in
            (request.username, request.password) = ("ann", "right")
            request.retryUsingSuppliedCredentials()
        })
        write.delegate = delegate
        #expect(await write.ended() == nil && write.responseStatusCode == 201)
        #expect(transport.requests.last?.fields["X-CSRF-Token"] == "T")
        #expect(transport.requests.allSatisfy { $0.url.host() == "b.example" || $0.fields[.authorization] == nil })
    }

    @Test func `S18, S38: a write and the fetches of its token send the passwords of a delegate ten times`()
        async throws
    {
        let transport = ScriptedTransport(Self.rejecting)
        let write = write(session(transport))
        let delegate = LoggingDelegate(onChallenge: { request in
            (request.username, request.password) = ("ann", "wrong")
            request.retryUsingSuppliedCredentials()
        })
        write.delegate = delegate
        #expect(await write.ended()?.errorCode == 3)
        #expect(delegate.events.count { $0 == "authentication needed" } == AUTHENTICATION_RETRY_COUNT)
        #expect(transport.requests.count { $0.fields[.authorization] != nil } == AUTHENTICATION_RETRY_COUNT)
    }

    @Test func `S38: a write is not sent when the response to its fetch does not prove the server`() async throws {
        let transport = ScriptedTransport { request in
            guard request.fields[.authorization]?.hasPrefix("Digest ") == true else {
                let challenge = #"Digest realm="r", nonce="n", qop="auth-int""#
                return request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": challenge]))
            }
            let proof = #"rspauth="0123", qop=auth-int"#
            return request.response(fields: try HTTPFields(["Authentication-Info": proof, "X-CSRF-Token": "T"]))
        }
        let write = write(session(transport))
        (write.username, write.password) = ("ann", "secret")
        #expect(await write.ended()?.code == .authentication)
        #expect(transport.requests.map(\.method) == [.get, .get])
    }
}

import Authentication
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// What requests in flight leave behind, or send, when the session is cleared at the worst moment.
@Suite(.needsSlot) struct SignOutTests {
    private static let url = URL(string: "https://example.com/data")

    @Test func `cookies of a request are not kept when the session is cleared while they are stored`() async throws {
        // The clock of the jar runs between the check and the change.
        let calls = Mutex<(armed: Bool, count: Int)>((false, 0))
        let clear = Mutex<(@Sendable () -> Void)?>(nil)
        let jar = CookieJar(now: {
            let isThird = calls.withLock { calls in
                if calls.armed { calls.count += 1 }
                return calls.count == 3
            }
            if isThird { clear.withLock { $0.take() }?() }
            return Date()
        })
        let transport = ScriptedTransport { request in
            calls.withLock { $0.armed = true }
            return request.response(fields: try HTTPFields(["Set-Cookie": "user=ann"]))
        }
        let session = SDMSession(
            transport: transport, configuration: .init(delivery: .inline, preferredLanguages: { [] }), cookies: jar)
        clear.withLock { $0 = { [weak session] in session?.clear() } }
        #expect(await session.get(Self.url).ended() == nil)
        #expect(clear.withLock { $0 == nil } && jar.cookies.isEmpty)
    }

    // MARK: Saved credentials

    /// Passwords in memory.
    private final class Saved: SDMCredentialStorage {
        let passwords = Watched<[ProtectionSpace: PasswordCredential]>([:])
        let saves = Watched(0)
        let onSave = Mutex<(@Sendable () -> Void)?>(nil)
        func credential(for space: ProtectionSpace) -> PasswordCredential? { passwords.value[space] }
        func save(_ credential: PasswordCredential, for space: ProtectionSpace) {
            saves.update { $0 += 1 }
            passwords.update { $0[space] = credential }
            onSave.withLock(\.self)?()
        }
        func remove(for space: ProtectionSpace) { passwords.update { $0[space] = nil } }
    }

    private enum Moment { case never, beforeTheResponse, whileSaving }

    @Test(arguments: [Moment.never, .beforeTheResponse, .whileSaving])
    private func `a request of a cleared session saves no password`(_ moment: Moment) async throws {
        let saved = Saved()
        let gate = Gate()
        let transport = ScriptedTransport { request in
            guard request.fields[.authorization] != nil else { return try Self.challenge(request) }
            try await gate.wait()
            return request.response()
        }
        let session = SDMSession.test(transport) { $0.savedCredentials = saved }
        if moment == .whileSaving { saved.onSave.withLock { $0 = { [weak session] in session?.clear() } } }
        let request = session.get(Self.url)
        (request.username, request.password) = ("ann", "hush")
        request.useKeychainPersistence = true
        request.startAsynchronous()
        try await gate.waitForWaiters(1)
        if moment == .beforeTheResponse { session.clear() }
        gate.open()
        #expect(await request.ended() == nil)
        #expect(saved.saves.value == (moment == .beforeTheResponse ? 0 : 1))
        #expect(saved.passwords.value.isEmpty == (moment != .never))
    }

    @Test(arguments: [false, true])
    func `a request of a cleared session uses no saved password, which may be of the next user`(isCleared: Bool)
        async throws
    {
        let saved = Saved()
        let gate = Gate()
        let transport = ScriptedTransport { request in
            guard request.fields[.authorization] == nil else { return request.response() }
            try await gate.wait()
            return try Self.challenge(request)
        }
        let session = SDMSession.test(transport) { $0.savedCredentials = saved }
        let request = session.get(Self.url)
        request.useKeychainPersistence = true
        request.startAsynchronous()
        try await gate.waitForWaiters(1)
        if isCleared { session.clear() }
        let space = ProtectionSpace(try #require(Self.url), realm: "r")
        saved.save(PasswordCredential(user: "bob", password: "hush"), for: space)
        gate.open()
        #expect(await request.ended()?.code == (isCleared ? .authentication : nil))
        #expect(transport.requests.count == (isCleared ? 1 : 2))
    }

    private static func challenge(_ request: HTTPMessages.HTTPRequest) throws -> HTTPResponse {
        request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
    }

    // MARK: The transport for the user of now

    @Test func `a transport for a user sends nothing when the session is cleared while it reads a body`() async throws {
        let transport = ScriptedTransport { $0.response() }
        let session = SDMSession.test(transport)
        let own = session.requestTransport()
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let request = try HTTPMessages.HTTPRequest(.put, "https://example.com/x", body: .stream(chunks))
        let sending = Task { try await own.send(request) }
        continuation.yield(Data("a".utf8))
        session.clear()
        continuation.finish()
        let error = await #expect(throws: AuthenticationError.self) { try await sending.value }
        #expect(error?.code == .signInRequired && transport.requests.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a request that is prepared while the session is cleared is not one of the next user`(isCleared: Bool)
        async throws
    {
        let transport = ScriptedTransport { $0.response() }
        let session = SDMSession.test(transport)
        let own = session.requestTransport { call in
            if isCleared { call.session.clear() }
            call.session.cookies.set(try! Cookie("user", "bob", domain: "example.com"))
        }
        _ = try await own.send(HTTPMessages.HTTPRequest(.put, "https://example.com/x", body: .text("{}")))
        #expect(transport.requests.map { $0.fields[.cookie] } == [isCleared ? nil : "user=bob"])
    }

    @Test func `a transport for a user sends a file of any size, and a stream again after a challenge`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "large")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        let handle = try FileHandle(forWritingTo: file)
        // Without blocks on the disk.
        try handle.truncate(atOffset: 65 << 20)
        try handle.close()
        let transport = ScriptedTransport { request in
            request.fields[.authorization] == nil ? try Self.challenge(request) : request.response()
        }
        let own = SDMSession.test(transport).requestTransport { call in
            (call.username, call.password) = ("ann", "hush")
        }
        let chunks = AsyncStream { continuation in
            continuation.yield(Data("text".utf8))
            continuation.finish()
        }
        for (body, length) in [(try HTTPBody.file(at: file), 65 << 20), (.stream(chunks), 4)] as [(HTTPBody, Int64)] {
            let count = transport.requests.count
            _ = try await own.send(HTTPMessages.HTTPRequest(.put, "https://example.com/x", body: body))
            #expect(transport.requests.dropFirst(count).first?.body.length == length)
            #expect(transport.requests.last?.body.length == length)
        }
    }

    @Test func `a transport for a user sends all lines of a field`() async throws {
        let transport = ScriptedTransport { $0.response() }
        let fields = try HTTPFields(["Prefer": "return=minimal", "Accept": "text/plain", "prefer": "respond-async"])
        let request = try HTTPMessages.HTTPRequest(.get, "https://example.com/x", fields: fields)
        _ = try await SDMSession.test(transport).requestTransport().send(request)
        #expect(transport.requests.first?.fields["Prefer"] == "return=minimal, respond-async")
        #expect(transport.requests.first?.fields[.accept] == "text/plain")
    }

    // MARK: Certificates

    /// A session that counts the transports with certificates that it makes.
    private static func counting(_ own: ScriptedTransport, _ made: Watched<Int>) -> SDMSession {
        SDMSession.test(ScriptedTransport { $0.response() }) { configuration in
            configuration.makeTransport = { _ in
                made.update { $0 += 1 }
                return AnyTransport(own)
            }
        }
    }

    private static func get(_ session: SDMSession, certificate: UInt8) async -> SDMError? {
        let request = session.get(url)
        request.setClientCertificateIdentity(.init(pkcs12: Data([certificate]), password: "hush"))
        return await request.ended()
    }

    @Test func `S31: a session that is cleared forgets the certificates of clients`() async throws {
        let made = Watched(0)
        let session = Self.counting(ScriptedTransport { $0.response() }, made)
        for number in 1...2 {
            for _ in 1...2 { #expect(await Self.get(session, certificate: 1) == nil) }
            #expect(made.value == number)
            session.clear()
        }
    }

    @Test func `S31: a request in flight does not bring its certificate back`() async throws {
        let made = Watched(0)
        let isFirst = Watched(true)
        let session = Mutex<SDMSession?>(nil)
        let own = ScriptedTransport { request in
            guard request.url.path() == "/data", isFirst.value else { return request.response() }
            isFirst.update { $0 = false }
            session.withLock(\.self)?.clear()
            return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": "/other"]))
        }
        let tested = Self.counting(own, made)
        session.withLock { $0 = tested }
        defer { session.withLock { $0 = nil } }
        #expect(await Self.get(tested, certificate: 1) == nil)
        // One before the end of the session, and one for the redirect, which is not kept.
        #expect(made.value == 2)
        #expect(await Self.get(tested, certificate: 1) == nil)
        #expect(made.value == 3)
    }

    @Test func `S31: the transports for the certificates that were used last are kept`() async throws {
        let made = Watched(0)
        let session = Self.counting(ScriptedTransport { $0.response() }, made)
        let count = UInt8(TransportTable.capacity)
        for number in 0...count {
            #expect(await Self.get(session, certificate: number) == nil)
            // The first one stays in use.
            #expect(await Self.get(session, certificate: 0) == nil)
        }
        #expect(made.value == Int(count) + 1)
        #expect(await Self.get(session, certificate: 2) == nil)
        #expect(made.value == Int(count) + 1)
        #expect(await Self.get(session, certificate: 1) == nil)
        #expect(made.value == Int(count) + 2)
    }
}

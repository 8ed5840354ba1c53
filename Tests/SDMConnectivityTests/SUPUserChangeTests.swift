import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// The registration of an app whose user changes.
@Suite(.needsSlot) struct SUPUserChangeTests {
    /// A server that registers users with the password `right`, each with an identifier of its own.
    private static func transport(
        holding gate: Gate? = nil, _ method: HTTPMethod = .get, of user: String = "", cookiePath: String = "; Path=/"
    ) -> ScriptedTransport {
        ScriptedTransport { request in
            let text = credentials(of: request)
            guard text.hasSuffix(":right") else { return try challenge(to: request) }
            if request.method == method, text.hasPrefix(user) { try await gate?.wait() }
            let cookie = "X-SUP-APPCID=id-of-\(text.prefix { $0 != ":" })\(cookiePath)"
            return request.response(
                request.method == .post ? .created : .ok, fields: try HTTPFields(["Set-Cookie": cookie]))
        }
    }

    private static func credentials(of request: HTTPMessages.HTTPRequest) -> String {
        let pair = (request.fields[.authorization] ?? "").split(separator: " ").last.map(String.init) ?? ""
        return Data(base64Encoded: pair).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func challenge(to request: HTTPMessages.HTTPRequest) throws -> HTTPResponse {
        request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
    }

    private static func connection(_ transport: ScriptedTransport) -> SMPClientConnection {
        let session = SDMSession.test(transport)
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://smp.example.com/")
        session.clientConnection = connection
        return connection
    }

    private static func data(_ connection: SMPClientConnection) -> SUPRequest {
        let request = SUPRequest(url: connection.profile?.proxyURL("P"), session: connection.session)
        (request.username, request.password) = ("ann", "right")
        return request
    }

    @Test(arguments: [false, true])
    func `S36: another user gets a registration of its own, without the identifier of the first`(isCleared: Bool)
        async throws
    {
        let transport = Self.transport()
        let connection = Self.connection(transport)
        let ann = try await connection.register(user: "ann", password: "right")
        #expect(ann.connectionID == "id-of-ann" && ann.user == "ann")
        if isCleared { connection.session.clear() }
        let count = transport.requests.count
        let error = await #expect(throws: SMPError.self) {
            try await connection.register(user: "bob", password: "wrong")
        }
        #expect((error?.underlying as? SDMError)?.code == .authentication)
        #expect(try connection.registration() == ann)
        let bob = try await connection.register(user: "bob", password: "right")
        #expect(bob.connectionID == "id-of-bob" && bob.user == "bob")
        #expect(try connection.registration() == bob)
        for sent in transport.requests.dropFirst(count) {
            #expect(sent.fields.allSatisfy { !$0.value.contains("id-of-ann") })
        }
        let registered = transport.requests.count
        #expect(try await connection.register(user: "bob", password: "right") == bob)
        #expect(transport.requests.count == registered)
    }

    @Test(arguments: [false, true])
    func `S36: a cookie of the path of its registration is removed too`(isDeleted: Bool) async throws {
        let transport = Self.transport(cookiePath: "")
        let connection = Self.connection(transport)
        try await connection.register(user: "ann", password: "right")
        #expect(connection.session.cookies.cookies.map(\.path) == ["/odata/applications/latest/app"])
        if isDeleted {
            try await connection.delete()
            #expect(connection.session.cookies.cookies.isEmpty)
        }
        let count = transport.requests.count
        #expect(try await connection.register(user: "bob", password: "right").connectionID == "id-of-bob")
        for sent in transport.requests.dropFirst(count) { #expect(sent.fields[.cookie] == nil) }
    }

    @Test func `S36: a request of the former user in flight does not bring its identifier back`() async throws {
        let gate = Gate()
        let connection = Self.connection(Self.transport(holding: gate))
        try await connection.register(user: "ann", password: "right")
        let request = Self.data(connection)
        request.startAsynchronous()
        try await gate.waitForWaiters(1)
        let bob = try await connection.register(user: "bob", password: "right")
        gate.open()
        #expect(await request.ended() == nil)
        #expect(try connection.registration() == bob)
    }

    @Test(arguments: [false, true], ["", "bob:right"])
    func `S36: a response to the former user during a registration leaves no cookie`(
        isEarlier: Bool, held: String
    ) async throws {
        let (get, post) = (Gate(), Gate(isOpen: true))
        let transport = ScriptedTransport { request in
            let text = Self.credentials(of: request)
            if request.method == .post, text == held { try await post.wait() }
            if request.method == .get, text == "ann:right" { try await get.wait() }
            guard !text.isEmpty else { return try Self.challenge(to: request) }
            let name = text.prefix { $0 != ":" }
            let cookie = request.method == .post ? "X-SUP-APPCID=id" : "X-SUP-SESSID=session"
            return request.response(
                request.method == .post ? .created : .ok,
                fields: try HTTPFields(["Set-Cookie": "\(cookie)-of-\(name); Path=/"]))
        }
        let connection = Self.connection(transport)
        try await connection.register(user: "ann", password: "right")
        let request = Self.data(connection)
        if isEarlier {
            request.startAsynchronous()
            try await get.waitForWaiters(1)
        }
        let waitCount = post.waitCount
        post.close()
        let registration = Task { try await connection.register(user: "bob", password: "right") }
        try await post.waitForWaiters(waitCount + 1)
        if !isEarlier {
            request.startAsynchronous()
            try await get.waitForWaiters(1)
        }
        get.open()
        #expect(await request.ended() == nil)
        post.open()
        let bob = try await registration.value
        #expect(try connection.registration() == bob && bob.connectionID == "id-of-bob")
        #expect(connection.session.cookies.cookies.map(\.value) == ["id-of-bob"])
        let data = Self.data(connection)
        data.username = "bob"
        #expect(await data.ended() == nil)
        for sent in transport.requests where Self.credentials(of: sent) == "bob:right" {
            #expect(sent.fields.allSatisfy { !$0.value.contains("-of-ann") })
        }
    }

    @Test(arguments: ["ann", "bob"])
    func `S36: a registration waits for a deletion in progress, which forgets only its own`(user: String) async throws {
        let gate = Gate()
        let transport = Self.transport(holding: gate, .delete)
        let connection = Self.connection(transport)
        try await connection.register(user: "ann", password: "right")
        let deletion = Task { try await connection.delete() }
        try await gate.waitForWaiters(1)
        let registration = Task { try await connection.register(user: user, password: "right") }
        try await eventually("the registration waits") { connection.registering.waiterCount == 1 }
        gate.open()
        try await deletion.value
        let next = try await registration.value
        #expect(try connection.registration() == next && next.connectionID == "id-of-\(user)")
        #expect(connection.session.cookies.cookies.map(\.value) == ["id-of-\(user)"])
        #expect(transport.requests.last?.method == .post)
    }

    @Test func `S36: a deletion that waits for a registration deletes only what it was asked for`() async throws {
        let gate = Gate()
        let transport = Self.transport(holding: gate, .post, of: "bob:")
        let connection = Self.connection(transport)
        try await connection.register(user: "ann", password: "right")
        let registration = Task { try await connection.register(user: "bob", password: "right") }
        try await gate.waitForWaiters(1)
        let deletion = Task { try await connection.delete(user: "ann", password: "right") }
        try await eventually("the deletion waits") { connection.registering.waiterCount == 1 }
        gate.open()
        let bob = try await registration.value
        try await deletion.value
        #expect(try connection.registration() == bob && bob.connectionID == "id-of-bob")
        let deleted = transport.requests.filter { $0.method == .delete }.map(\.url.absoluteString)
        #expect(!deleted.isEmpty && deleted.allSatisfy { $0.contains("id-of-ann") })
    }

    @Test(arguments: [false, true])
    func `S36: a deletion in progress does not forget an identifier that the app sets meanwhile`(isOfApp: Bool)
        async throws
    {
        let gate = Gate()
        let connection = Self.connection(Self.transport(holding: gate, .delete))
        if isOfApp {
            // Of no known user.
            try connection.setRegistration(connectionID: "id-of-ann")
        } else {
            try await connection.register(user: "ann", password: "right")
        }
        let deletion = Task { try await connection.delete(user: "ann", password: "right") }
        try await gate.waitForWaiters(1)
        try connection.setRegistration(connectionID: "id-of-the-app")
        gate.open()
        try await deletion.value
        #expect(try connection.registration()?.connectionID == "id-of-the-app")
    }

    @Test func `S36: a refusal that arrives after another registration forgets nothing, also for the same identifier`()
        async throws
    {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            switch request.method {
            case .post:
                return request.response(.created, fields: try HTTPFields(["Set-Cookie": "X-SUP-APPCID=id-1; Path=/"]))
            case .delete: return request.response(.noContent)
            default:
                try await gate.wait()
                return request.response(.forbidden, text: #"{"error": {"code": "NOT_ONBOARDED"}}"#)
            }
        }
        let connection = Self.connection(transport)
        try await connection.register(user: "ann", password: "right")
        let request = Self.data(connection)
        request.startAsynchronous()
        try await gate.waitForWaiters(1)
        try await connection.delete()
        let next = try await connection.register(user: "ann", password: "right")
        gate.open()
        #expect(await request.ended() == nil && request.responseStatusCode == 403)
        #expect(try connection.registration() == next)
    }

    @Test func `S36: a registration is forgotten only if no other one has replaced it meanwhile`() throws {
        let connection = Self.connection(Self.transport())
        let profile = try #require(connection.profile)
        let registrations = ["id-1", "id-2"].map { id in
            SMPRegistration(applicationID: "app", connectionID: id, location: "l", style: .sup, user: "ann")
        }
        for registration in registrations { try connection.keep(registration, at: profile) }
        for (former, rest) in zip(registrations, [registrations[1], nil]) {
            try connection.keep(nil, at: profile, insteadOf: former)
            #expect(try connection.registration() == rest)
        }
    }

    @Test func `S36: an identifier that a server assigns on its own belongs to the user of the request`() async throws {
        let connection = Self.connection(Self.transport())
        #expect(await Self.data(connection).ended() == nil)
        #expect(try connection.registration()?.user == "ann")
        #expect(try await connection.register(user: "bob", password: "right").connectionID == "id-of-bob")
    }

    @Test func `S36: the identifier in a challenge is not kept, since its user is not accepted yet`() async throws {
        let transport = ScriptedTransport { request in
            request.response(
                .unauthorized,
                fields: try HTTPFields([
                    "WWW-Authenticate": #"Basic realm="r""#, "Set-Cookie": "X-SUP-APPCID=id-1; Path=/",
                ]))
        }
        let connection = Self.connection(transport)
        #expect(await Self.data(connection).ended()?.code == .authentication)
        await #expect(throws: SMPError.self) { try await connection.register(user: "ann", password: "wrong") }
        #expect(try connection.registration() == nil)
    }
}

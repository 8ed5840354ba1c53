import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct SMPFileRegistrationStoreTests {
    private let folder: TemporaryFolder
    private let store: SMPFileRegistrationStore

    init() throws {
        folder = try TemporaryFolder()
        store = SMPFileRegistrationStore(at: folder.url.appending(path: "registrations"))
    }

    private func registration(_ id: String, of application: String = "app") -> SMPRegistration {
        SMPRegistration(applicationID: application, connectionID: id, location: "l", style: .smp)
    }

    private func server(_ host: String) throws -> URL { try URL(httpString: "http://\(host)/") }

    @Test func `registrations are kept by server and application, for the owner only`() throws {
        let (first, second) = (try server("first"), try server("second"))
        #expect(try store.load("app", at: first) == nil)
        try store.save(registration("1"), of: "app", at: first)
        try store.save(registration("2"), of: "app", at: second)
        try store.save(registration("3", of: "other"), of: "other", at: first)
        #expect(try FileStatus(at: store.file.path).mode & 0o777 == 0o600)
        let later = SMPFileRegistrationStore(at: store.file)
        #expect(try later.load("app", at: first) == registration("1"))
        #expect(try later.load("app", at: second) == registration("2"))
        #expect(try later.load("other", at: first) == registration("3", of: "other"))
        try later.save(registration("4"), of: "app", at: first)
        #expect(try store.load("app", at: first) == registration("4"))
        #expect(try store.load("app", at: second) == registration("2"))
    }

    @Test func `the user is kept, and a file of an earlier version has none`() throws {
        let server = try server("h")
        var registration = registration("1")
        registration.user = "ann"
        try store.save(registration, of: "app", at: server)
        #expect(try store.load("app", at: server)?.user == "ann")
        let text = try String(contentsOf: store.file, encoding: .utf8)
        try Data(text.replacing(#","user":"ann""#, with: "").utf8).write(to: store.file)
        let earlier = try #require(try store.load("app", at: server))
        #expect(earlier.user == nil && earlier.connectionID == "1" && earlier.belongs(to: "bob"))
    }

    @Test func `the file is deleted with its last registration`() throws {
        let server = try server("h")
        try store.save(registration("1"), of: "app", at: server)
        try store.save(nil, of: "other", at: server)
        #expect(try folder.names == ["registrations"])
        try store.save(nil, of: "app", at: server)
        #expect(try folder.names.isEmpty && store.load("app", at: server) == nil)
    }

    @Test(arguments: [2, 20]) func `connections that write at the same time lose none`(count: Int) async throws {
        let servers = try (0..<count).map { thread in try (0..<10).map { try server("h\(thread)-\($0)") } }
        await withTaskGroup { [self] group in
            for own in servers {
                group.addTask {
                    await onThread {
                        for server in own {
                            #expect(throws: Never.self) {
                                try store.save(registration(server.absoluteString), of: "app", at: server)
                            }
                        }
                    }
                }
            }
        }
        for server in servers.joined() {
            #expect(try store.load("app", at: server) == registration(server.absoluteString))
        }
    }

    @Test func `a damaged file is an error that shows nothing of it`() throws {
        let server = try server("h")
        let text = #"[{"server":"http://h/","registration":{"connectionID":"hush"}}]"#
        try Data(text.utf8).write(to: store.file)
        let error = #expect(throws: SMPError.self) { try store.load("app", at: server) }
        #expect(error?.code == .store && error?.description.contains("registrations") == true)
        #expect(error.map { !"\($0)".contains("hush") } == true)
        #expect(throws: SMPError.self) { try store.save(registration("1"), of: "app", at: server) }
        #expect(try Data(contentsOf: store.file) == Data(text.utf8))
    }

    @Test func `an identifier that no server assigns is not sent`() throws {
        let connection = SMPClientConnection(applicationID: "app", session: .test(), store: store)
        connection.setConnectionProfileWithUrl("http://h/")
        try store.save(registration("a;b"), of: "app", at: server("h"))
        #expect(try connection.registration() == nil)
    }

    // MARK: Several connections

    private func connection(_ transport: ScriptedTransport) -> SMPClientConnection {
        let connection = SMPClientConnection(applicationID: "app", session: .test(transport), store: store)
        connection.setConnectionProfileWithUrl("http://h/")
        return connection
    }

    @Test func `connections that have read one file before use its later registration, and delete it`() async throws {
        let count = Watched(0)
        let transport = ScriptedTransport { request in
            guard request.method == .post else { return request.response(.noContent) }
            let number = count.update { count in
                count += 1
                return count
            }
            return request.response(
                .created, fields: try HTTPFields(["Location": "http://h/Connections('id-\(number)')"]))
        }
        let (app, other) = (connection(transport), connection(transport))
        #expect(try app.registration() == nil && other.registration() == nil)
        let first = try await app.register(user: "ann", password: "right")
        #expect(try await other.register(user: "ann", password: "right") == first && first.connectionID == "id-1")
        #expect(transport.requests.count == 1)
        try await app.delete()
        #expect(try await other.register(user: "ann", password: "right").connectionID == "id-2")
        #expect(try store.load("app", at: server("h"))?.connectionID == "id-2")
        try await app.delete()
        #expect(transport.requests.last?.url.absoluteString.contains("id-2") == true)
        #expect(try store.load("app", at: server("h")) == nil)
    }

    @Test(arguments: [false, true])
    func `a registration of another process stays when an earlier one is deleted or unknown`(isUnknown: Bool)
        async throws
    {
        let (store, next, server) = (store, registration("id-2"), try server("h"))
        let transport = ScriptedTransport { request in
            try store.save(next, of: "app", at: server)
            guard isUnknown else { return request.response(.noContent) }
            return request.response(.forbidden, text: #"{"error": {"code": "NOT_ONBOARDED"}}"#)
        }
        let connection = connection(transport)
        try connection.setRegistration(connectionID: "id-1")
        if isUnknown {
            let request = SUPRequest(url: connection.profile?.proxyURL("P"), session: connection.session)
            request.connection = connection
            #expect(try await request.response().status == .forbidden)
        } else {
            try await connection.delete()
        }
        #expect(try store.load("app", at: server) == next && connection.registration() == next)
    }

    @Test func `a deletion is that of the known registration, not of one that another process has stored`()
        async throws
    {
        let transport = ScriptedTransport { request in
            guard request.method == .post else { return request.response(.noContent) }
            return request.response(.created, fields: try HTTPFields(["Location": "http://h/Connections('id-1')"]))
        }
        let connection = connection(transport)
        _ = try await connection.register(user: "ann", password: "right")
        var bob = registration("id-2")
        bob.user = "bob"
        try store.save(bob, of: "app", at: server("h"))
        try await connection.delete()
        #expect(transport.requests.last?.url.absoluteString.contains("id-1") == true)
        #expect(try store.load("app", at: server("h")) == bob)
    }

    @Test func `a registration that could not be stored is used until the end of the process`() async throws {
        let transport = ScriptedTransport { request in
            request.response(.created, fields: try HTTPFields(["Location": "http://h/Connections('id-1')"]))
        }
        let folder = folder.url.appending(path: "later")
        let file = SMPFileRegistrationStore(at: folder.appending(path: "registrations"))
        let connection = SMPClientConnection(applicationID: "app", session: .test(transport), store: file)
        connection.setConnectionProfileWithUrl("http://h/")
        let error = await #expect(throws: SMPError.self) {
            try await connection.register(user: "ann", password: "right")
        }
        #expect(error?.code == .store)
        #expect(try await connection.register(user: "ann", password: "right").connectionID == "id-1")
        #expect(transport.requests.count == 1)
    }
}

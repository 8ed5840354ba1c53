import Foundation
import HTTPMessages
import SystemLibraries
import TestSupport
import Testing

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
}

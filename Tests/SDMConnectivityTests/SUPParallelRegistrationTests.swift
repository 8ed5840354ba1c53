import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct SUPParallelRegistrationTests {
    /// A server that registers users with the password `right`, once the gate is open.
    private struct Server {
        let gate = Gate()
        let users = Watched<[String]>([])
        let connection: SMPClientConnection

        init() {
            let (gate, users) = (gate, users)
            let session = SDMSession.test(
                FakeTransport { request in
                    let pair = (request.fields[.authorization] ?? "").split(separator: " ").last.map(String.init) ?? ""
                    let text = Data(base64Encoded: pair).map { String(decoding: $0, as: UTF8.self) } ?? ""
                    let count = users.update { users in
                        users.append(text)
                        return users.count
                    }
                    try await gate.wait()
                    guard text.hasSuffix(":right") else {
                        return request.response(
                            .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
                    }
                    return request.response(
                        .created, fields: try HTTPFields(["Set-Cookie": "X-SUP-APPCID=id-\(count)"]))
                })
            connection = SMPClientConnection(applicationID: "app", session: session)
            connection.setConnectionProfileWithUrl("http://smp.example.com/")
        }

        func register(_ password: String = "right") -> Task<SMPRegistration, any Error> {
            Task { [connection] in try await connection.register(user: "ann", password: password) }
        }
    }

    @Test func `parallel registrations wait for the first, and return the same`() async throws {
        let server = Server()
        let first = server.register()
        try await server.gate.waitForWaiters(1)
        let others = (0..<4).map { _ in server.register() }
        server.gate.open()
        let registration = try await first.value
        for other in others { #expect(try await other.value == registration) }
        // The first request is answered with a challenge, the second one has the password.
        #expect(server.users.value == ["", "ann:right"])
    }

    @Test func `after a registration that failed, the next one tries its own password`() async throws {
        let server = Server()
        let first = server.register("wrong")
        try await server.gate.waitForWaiters(1)
        let second = server.register("right")
        let third = server.register("right")
        server.gate.open()
        await #expect(throws: SMPError.self) { try await first.value }
        let registration = try await second.value
        #expect(try await third.value == registration)
        #expect(server.users.value.count { $0 == "ann:right" } == 1)
    }

    @Test func `a registration that waits for another one can be cancelled`() async throws {
        let server = Server()
        let first = server.register()
        try await server.gate.waitForWaiters(1)
        let second = server.register()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        server.gate.open()
        #expect(try await first.value.connectionID.hasPrefix("id-"))
    }

    // MARK: The server's address

    @Test(
        arguments: [
            ("8080", true, "http://smp.example.com:8080/"), (nil, true, "http://smp.example.com:80/"),
            ("", false, "https://smp.example.com:443/"), ("x", true, nil), ("70000", true, nil), ("80a", true, nil),
        ] as [(String?, Bool, String?)])
    func `the port is a text`(port: String?, isHTTP: Bool, expected: String?) {
        let connection = SMPClientConnection(applicationID: "app", securityConfiguration: "admin", session: .test())
        let isSet = connection.setConnectionProfileWithHost(
            "smp.example.com", port: port, farm: nil, relayServerUrlTemplate: nil, enableHTTP: isHTTP)
        #expect(isSet == (expected != nil) && connection.profile?.baseURL.absoluteString == expected)
        #expect((connection.hostPort == nil) == (expected == nil) && connection.securityConfig == "admin")
    }

    @Test func `an identifier is set under the vendor's name, and a failure is a warning`() {
        let warnings = Watched<[String]>([])
        let session = SDMSession.test { $0.warn = { text in warnings.update { $0.append(text) } } }
        let connection = SMPClientConnection(applicationID: "app", session: session)
        #expect(!connection.setApplicationConnectionID("id-1") && connection.applicationConnectionID == nil)
        connection.setConnectionProfileWithUrl("http://smp.example.com:8080/")
        #expect(!connection.setApplicationConnectionID("") && connection.setApplicationConnectionID("id-hush"))
        #expect(connection.applicationConnectionID == "id-hush" && connection.hostPort == "smp.example.com:8080")
        #expect(warnings.value.count == 2 && !warnings.value.joined().contains("hush"))
    }
}

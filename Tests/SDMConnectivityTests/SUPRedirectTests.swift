import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// The operations of an application connection, behind a gateway that redirects.
@Suite(.needsSlot) struct SUPRedirectTests {
    /// A server that redirects the requests to connections, and what is at its targets.
    private static func transport(_ status: HTTPStatus, to target: String) -> ScriptedTransport {
        ScriptedTransport { request in
            switch (request.url.host(), request.url.path()) {
            case ("evil.example.com", _):
                let location = "http://evil.example.com/Connections('id-of-evil')"
                return request.response(.created, fields: try HTTPFields(["Location": location]))
            case (_, "/login"): return request.response(text: "Please sign in")
            case (_, let path) where path.hasSuffix("/"):
                return request.response(json: ["d": ["DeviceType": "iPhone"]])
            default: return request.response(status, fields: try HTTPFields(["Location": target]))
            }
        }
    }

    private static func connection(_ transport: ScriptedTransport) throws -> SMPClientConnection {
        let connection = SMPClientConnection(applicationID: "app", session: .test(transport))
        connection.setConnectionProfileWithUrl("http://smp.example.com/")
        return connection
    }

    @Test(
        arguments: [
            (.movedPermanently, "/login"), (.found, "/login"), (.seeOther, "/login"),
            (.temporaryRedirect, "http://evil.example.com/x"),
        ] as [(HTTPStatus, String)])
    func `S36: a change that a redirect has led elsewhere is not done, and a deletion keeps the registration`(
        status: HTTPStatus, target: String
    ) async throws {
        let transport = Self.transport(status, to: target)
        let connection = try Self.connection(transport)
        try connection.setRegistration(connectionID: "id-1")
        let errors = [
            await #expect(throws: SMPError.self) { try await connection.replace(["DeviceType": "iPad"]) },
            await #expect(throws: SMPError.self) { try await connection.update(["DeviceType": "iPad"]) },
            await #expect(throws: SMPError.self) { try await connection.delete() },
        ]
        for error in errors {
            #expect(error?.message.contains(target) == true && error?.message.contains("`profile`") == true)
        }
        #expect(transport.requests.count == 6)
        #expect(try connection.registration()?.connectionID == "id-1")
    }

    @Test(arguments: [HTTPStatus.movedPermanently, .found, .seeOther, .temporaryRedirect])
    func `S36: no other server chooses the registration, and none is read`(status: HTTPStatus) async throws {
        let connection = try Self.connection(Self.transport(status, to: "http://evil.example.com/x"))
        let error = await #expect(throws: SMPError.self) {
            try await connection.register(user: "ann", password: "right")
        }
        #expect(error?.message.contains("http://evil.example.com/x") == true && error?.statusCode == 201)
        #expect(try connection.registration() == nil)
        try connection.setRegistration(connectionID: "id-1")
        let reading = await #expect(throws: SMPError.self) { try await connection.read() }
        #expect(reading?.message.contains("http://evil.example.com/x") == true)
    }

    @Test func `S36: redirects at the server are followed, if the method stays`() async throws {
        let connection = try Self.connection(
            Self.transport(.temporaryRedirect, to: "http://smp.example.com/connections/"))
        try connection.setRegistration(connectionID: "id-1")
        #expect(try await connection.read().value["DeviceType"]?.string == "iPhone")
        try await connection.update(["DeviceType": "iPad"])
        try await connection.delete()
        #expect(try connection.registration() == nil)
    }
}

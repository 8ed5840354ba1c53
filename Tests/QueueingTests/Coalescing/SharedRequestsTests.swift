import HTTPMessages
import Testing
import Transport

@testable import Queueing

@Suite struct SharedRequestsTests {
    private func key(_ request: HTTPRequest) -> SharedRequests.Key? { SharedRequests.Key(request) }

    @Test func `the properties of equal requests`() throws {
        let first = try request(.get, "http://h/x?y", fields: ["Accept": "a/b"])
        var same = first
        same.options.priority = .high
        same.options.tag = "t"
        #expect(key(first) != nil && key(same) == key(first))
        var patient = first
        patient.options.timeouts.response = .seconds(1)
        for other in [
            try request(.head, "http://h/x?y", fields: ["Accept": "a/b"]), patient,
            try request(.get, "http://h/x?z", fields: ["Accept": "a/b"]),
            try request(.get, "http://h/x?y", fields: ["Accept": "a/c"]), try request(.get, "http://h/x?y"),
        ] {
            #expect(key(other) != nil && key(other) != key(first))
        }
    }

    @Test func `requests that are not shared`() throws {
        for method in [HTTPMethod.post, .put, .delete, .options, .patch] { #expect(key(try request(method)) == nil) }
        #expect(key(try request(total: .seconds(1))) == nil)
        // Each caller gets the connection of its own response.
        var upgrade = try request(.get)
        upgrade.options.upgradeProtocol = "websocket"
        #expect(key(upgrade) == nil)
    }
}

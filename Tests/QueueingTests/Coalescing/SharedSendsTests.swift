import HTTPMessages
import Testing

@testable import Queueing

@Suite struct SharedSendsTests {
    private func key(_ request: HTTPRequest) -> SharedSends.Key? { SharedSends.Key(request) }

    @Test func `what two requests have to have in common`() throws {
        let first = try request(.get, "http://h/x?y", fields: ["Accept": "a/b"])
        var same = first
        same.options.priority = .immediate
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

    @Test func `what is not shared`() throws {
        for method in [HTTPMethod.post, .put, .delete, .options, .patch] { #expect(key(try request(method)) == nil) }
        #expect(key(try request(total: .seconds(1))) == nil)
    }
}

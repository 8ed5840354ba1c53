import Foundation
import Testing

@testable import HTTPMessages

@Suite struct OriginTests {
    private func origin(_ text: String) throws -> Origin { Origin(try #require(URL(string: text))) }

    @Test(arguments: [
        ("http://h", "http://h/x?y#z"), ("http://h:80/", "http://H/"), ("HTTPS://h/", "https://h:443/"),
        ("http://h:/", "http://h:80/"), ("http://h:0080/", "http://h:80/"), ("http://[::1]/", "http://[::1]:80/"),
        ("http://h?a@b:1", "http://h"), ("http://h/@x:9", "http://h"),
    ])
    func `are equal`(left: String, right: String) throws { #expect(try origin(left) == origin(right)) }

    @Test(arguments: [
        ("http://h", "https://h"), ("http://h", "http://i"), ("http://h", "http://h:81"),
        ("http://h:443", "https://h:443"),
        ("http://h", "http://h."), ("http://h", "http://www.h"), ("http://[::1]:8/", "http://[::1]/"),
    ])
    func differ(left: String, right: String) throws { #expect(try origin(left) != origin(right)) }

    @Test func `has parts`() throws {
        let origin = try origin("HTTPS://U:p@[::1]:8080/")
        #expect(origin.scheme == "https" && origin.host == "[::1]" && origin.port == "8080" && origin.isSecure)
        #expect(try !self.origin("http://https/").isSecure)
    }
}

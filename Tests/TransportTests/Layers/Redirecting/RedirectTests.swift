import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct RedirectTests {
    @Test func `descriptions contain no secrets`() throws {
        let url = try URL(httpString: "http://h/?token=sesame")
        let redirect = Redirect(
            request: try HTTPRequest(.get, url, fields: HTTPFields(["Authorization": "sesame"])),
            head: HTTPResponseHead(status: .found, fields: try HTTPFields(["Set-Cookie": "sesame"]), url: url),
            target: url)
        #expect(redirect.description == "302 Found from http://h/?token=<redacted> to http://h/?token=<redacted>")
        var dumped = ""
        dump(redirect, to: &dumped)
        for text in [String(reflecting: redirect), dumped] { #expect(!text.contains("sesame")) }
    }
}

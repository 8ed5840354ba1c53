import Foundation
import HTTPMessages
import Testing

@Suite struct AllowedOriginsTests {
    @Test(arguments: [
        ("https://api.example.com", true), ("https://API.example.com:443/x?y", true), ("http://api.example.com", false),
        ("https://api.example.com:8443", false), ("https://example.com", false), ("https://b.example.com:8443/", true),
        ("https://api.example.com.evil.com", false), ("https://evil.com/https://api.example.com", false),
        ("https://api.example.com.", false),
    ])
    func `an origin is scheme, host and port`(url: String, isAllowed: Bool) throws {
        let origins = try AllowedOrigins("https://api.example.com/path", "https://b.example.com:8443")
        #expect(origins.contains(try URL(httpString: url)) == isAllowed)
        #expect(AllowedOrigins.chosenByAuthorizer.contains(try URL(httpString: url)))
        #expect(
            try origins
                == AllowedOrigins(
                    ["https://api.example.com", "https://b.example.com:8443"].map { try URL(httpString: $0) }))
    }

    @Test(arguments: ["", "api.example.com", "ftp://h", "https://u:p@h/"])
    func `what is no origin is an error`(url: String) {
        #expect(throws: HTTPMessageError.self) { try AllowedOrigins(url) }
    }
}

import Foundation
import HTTPMessages
import Testing

@Suite struct BodyExcerptTests {
    private func excerpt(_ body: String, type: String? = nil) -> String? {
        BodyExcerpt.text(of: Data(body.utf8), as: type.flatMap { MediaType(parsing: $0) })
    }

    @Test(
        arguments: [
            ("No such item.", "No such item."), ("  a\r\n\tb  ", "a b"), ("a\u{1B}[0mb\u{7F}\u{202E}c", "a[0mbc"),
            ("", nil), (" \n", nil),
            ("a\u{0}b", nil), ("ä€🎈", "ä€🎈"),
        ] as [(String, String?)])
    func `text is joined to one line`(body: String, expected: String?) {
        #expect(excerpt(body) == expected)
    }

    @Test func `text is cut to 200 characters`() {
        #expect(excerpt(String(repeating: "a", count: 200)) == String(repeating: "a", count: 200))
        #expect(excerpt(String(repeating: "a", count: 201)) == String(repeating: "a", count: 200) + "…")
        #expect(excerpt(String(repeating: "€", count: 5000)) == String(repeating: "€", count: 200) + "…")
    }

    @Test func `Latin-1 is used only for text media types`() {
        let latin1 = Data([0x46, 0xFC, 0x72])
        #expect(BodyExcerpt.text(of: latin1, as: MediaType(parsing: "text/html")) == "Für")
        #expect(BodyExcerpt.text(of: latin1, as: MediaType(parsing: "image/png")) == nil)
        #expect(BodyExcerpt.text(of: latin1, as: nil) == nil)
    }

    @Test(arguments: [
        #"{"error":"bad","token":"sesame \" sesame","x":1}"#, #"{"access_token": "sesame"}"#, "a=1&token=sesame&b=2",
        #"{"m":"{\"token\":\"sesame sesame\",\"a\":1}"}"#, "Authorization: Bearer sesame12345, x",
        #"{"password":["sesame", {"a": "sesame"}]}"#, "<a><token id='1'>sesame sesame</token></a>",
        "bad 'token':'sesame sesame' x", "use Bearer sesame12345 now", "session=sesame", "{\"secret\":\n\"sesame",
        "apiKey = sesame", "<a password=\"sesame\"/>", "<id>http://h/app/Connections('sesame')</id>",
        "<d:ApplicationConnectionId>sesame</d:ApplicationConnectionId>",
    ])
    func `values of secret names are redacted`(body: String) throws {
        let text = try #require(excerpt(body))
        #expect(!text.contains("sesame") && text.contains("<redacted>"), "\(text)")
    }

    @Test(arguments: [#"{"code":404,"error":"a: b","items":[1,2]}"#, "<title>Error: no</title>", "a = b, c: d"])
    func `other text is unchanged`(body: String) {
        #expect(excerpt(body) == body)
    }
}

import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import SDMConnectivity

struct HelpersTests {
    @Test func `S44: Base64 encodes and decodes`() {
        let text = "SGVsbG8sIHdvcmxk"
        #expect(SDMHttpRequest.base64(for: Data("Hello, world".utf8)) == text)
        #expect(SDMHttpRequest.base64forData(Data()).isEmpty)
        #expect(SDMHttpRequest.decodeBase64(text) == "Hello, world")
        #expect(SDMHttpRequest.decodeBase64("SGVsbG8s\r\n IHdvcmxk") == "Hello, world")
        #expect(SDMHttpRequest.decodeBase64("SGVsbG8*") == nil && SDMHttpRequest.decodeBase64("/w==") == nil)
    }

    @Test(arguments: [
        ("Tue, 04 May 2010 00:59:00 GMT", 1_272_934_740), ("4 May 2010 00:59 CET", 1_272_931_140),
        ("Tue, 4 May 2010 00:59 GMT", 1_272_934_740), ("04 May 2010 00:59:12 UTC", 1_272_934_752),
        ("4 May 2010 00:59 +0100", 1_272_931_140), ("4 May 2010 00:59 -05:30", 1_272_954_540),
        ("Mon, 3 May 2010 19:59:00 EST", 1_272_934_740), ("4 May 2010 02:59 cest", 1_272_934_740),
        ("29 Feb 2012 00:00:00 Z", 1_330_473_600),
    ])
    func `S44: dates of RFC 1123, also without weekday and seconds`(text: String, seconds: Int) {
        #expect(SDMHttpRequest.date(fromRFC1123String: text) == Date(timeIntervalSince1970: TimeInterval(seconds)))
        #expect(SDMHttpRequest.dateFromRFC1123String(text)?.timeIntervalSince1970 == TimeInterval(seconds))
    }

    @Test(arguments: [
        "", "yesterday", "4 May 2010", "4 May 2010 00:59", "4 May 2010 00:59 XYZ", "31 Jun 2010 00:59 GMT",
        "4 May 2010 24:59 GMT", "4 May 2010 00:59 +25:00", "4 May 2010 00:59 +1", "00:59 4 May 2010 GMT",
    ])
    func `S44: other dates are nil`(text: String) {
        #expect(SDMHttpRequest.date(fromRFC1123String: text) == nil)
    }

    @Test func `S44: MIME types of files`() throws {
        let folder = try TemporaryFolder()
        let types = [
            "photo.JPG": "image/jpeg", "notes.txt": "text/plain", "data.json": "application/json",
            "README": "application/octet-stream", "x.unknown": "application/octet-stream",
        ]
        for (name, type) in types {
            try Data().write(to: folder.url.appending(path: name))
            #expect(SDMHttpRequest.mimeType(forFileAtPath: folder.path(name)) == type)
            #expect(SDMHttpRequest.mimeTypeForFileAtPath(folder.path(name)) == type)
        }
        #expect(SDMHttpRequest.mimeType(forFileAtPath: folder.path("missing.png")) == nil)
        #expect(SDMHttpRequest.mimeType(forFileAtPath: folder.url.path) == nil)
    }
}

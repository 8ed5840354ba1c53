import Foundation
import HTTPMessages
import Monitoring
import Testing
import Transport

/// Behavior 8: HTTP archives, in.
@Suite struct HARReaderTests {
    private func entries(_ text: String) throws -> [HAREntry] {
        var reader = try HARReader(data: Data(text.utf8))
        var entries: [HAREntry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return entries
    }

    @Test func `an archive in Chrome's style is read`() throws {
        let entries = try entries(HARSamples.chrome)
        #expect(entries.count == 2 && entries[0].startedDateTime == HARSamples.start)
        #expect(entries[0].timings.dns == nil && entries[0].timings.blocked == .microseconds(5200))
        let (request, response) = try #require(try entries[0].exchange())
        #expect(request.method == .post && request.url.absoluteString == "https://shop.example.com/orders?draft=1")
        #expect(request.fields.map(\.name.rawName) == ["accept", "content-type"])
        #expect(response.status == .created && response.body == Data(#"{"id":7}"#.utf8))
        #expect(response.fields[.contentEncoding] == nil)
        #expect(response.fields.values(of: .setCookie) == ["a=1; path=/", "b=2; path=/"])
        #expect(try entries[1].exchange() == nil && entries[1].response.error == "net::ERR_CONNECTION_REFUSED")
    }

    @Test func `an archive in Firefox's style is read`() throws {
        let entry = try #require(try entries(HARSamples.firefox).first)
        #expect(entry.startedDateTime == HARSamples.start && entry.time == .milliseconds(35))
        let response = try #require(try entry.httpResponse())
        #expect(response.body == Data([0x89, 0x50, 0x4E, 0x47]))
        #expect(entry.request.headersSize == 412 && entry.redacted().request.postData?.params?[1].value == "<redacted>")
    }

    @Test(arguments: [HARSamples.chrome, HARSamples.firefox]) func `what is read can be written and read`(text: String)
        throws
    {
        let read = try entries(text)
        let data = try HARSamples.written(read)
        #expect(try HARSchema.violations(of: JSONValue(parsing: data)) == [])
        #expect(try entries(String(decoding: data, as: UTF8.self)) == read.map { $0.redacted() })
    }

    @Test func `a user in the URL is left out of the request, and challenges are kept`() throws {
        var entry = try HARSamples.exchange(
            responseFields: ["WWW-Authenticate": "Digest algorithm=SHA-256, realm=\"x\""])
        entry.request.url = "https://user:sesame@shop.example.com/a"
        #expect(try entry.request.httpRequest().url.absoluteString == "https://shop.example.com/a")
        #expect(entry.redacted().response.headers == entry.response.headers)
        entry.request.url = "data:text/plain,x"
        #expect(throws: HARError.self) { try entry.exchange() }
    }

    @Test func `a request has no field that engines refuse`() throws {
        let names = [
            "Expect", "Trailer", "TE", "Upgrade", "Host", "Connection", "Keep-Alive", "Content-Length",
            "Proxy-Connection", "Transfer-Encoding", "X-Kept",
        ]
        var entry = try HARSamples.exchange()
        entry.request.headers = names.map { HARPair($0, "x") }
        let request = try entry.request.httpRequest()
        try request.checkForEngine()
        #expect(request.fields.map(\.name.rawName) == ["X-Kept"])
    }

    @Test func `text is encoded by the charset of the response`() throws {
        var entry = try HARSamples.exchange(responseFields: ["Content-Type": "text/plain; charset=ISO-8859-1"])
        entry.response.content = HARContent(size: 1, mimeType: "text/plain", text: "ü")
        #expect(try entry.httpResponse()?.body == Data([0xFC]))
    }

    private static let minimal =
        #"{"startedDateTime":"2026-01-31T12:30:45Z","request":{"method":"GET","url":"http://h/"},"response":{"status":200}}"#

    @Test func `an entry needs start, method, URL and status alone`() throws {
        let entry = try #require(try entries(#"{"log":{"entries":[\#(Self.minimal)]}}"#).first)
        #expect(try entry.exchange()?.response.status == .ok && entry.timings == HARTimings())
    }

    @Test(arguments: [
        ("", HARError.Code.malformed, 1), ("[]", .malformed, 1), ("{\"log\":{}}", .malformed, 1),
        ("{\"log\":{\"entries\":\n7}}", .malformed, 2), ("{\"log\":{\"entries\":[\nM,\nM", .malformed, 3),
        ("{\"log\":{\"entries\":[\nM,\n{\"a\":tru}]}}", .malformed, 3),
        ("{\"log\":{\"entries\":[M\n\n,{\"request\":{}}]}}", .invalidEntry, 3),
        ("{\"log\":{\"entries\":[\n{\"startedDateTime\":\"yesterday\"}]}}", .invalidEntry, 2),
        ("{\"log\":{\"version\":\"9.0\",\"entries\":[]}}", .unsupportedVersion, 1),
    ])
    func `a damaged archive is an error with its line`(text: String, code: HARError.Code, line: Int) {
        let error = #expect(throws: HARError.self) {
            _ = try entries(text.replacing("M", with: Self.minimal))
        }
        #expect(error?.code == code && error?.line == line, "\(String(describing: error))")
    }

    @Test(arguments: ["1.1", "1.2", "1.3", ""]) func `known versions are read`(version: String) throws {
        #expect(try entries(#"{"log":{"version":"\#(version)","entries":[]}}"#).isEmpty)
    }

    @Test func `wrong Base64 names entry and line, and the next entry follows`() throws {
        let wrong = Self.minimal.replacing(
            #""status":200"#, with: #""status":200,"content":{"text":"se*same","encoding":"base64"}"#)
        let other = wrong.replacing("base64\"", with: "rot13\"")
        var reader = try HARReader(
            data: Data("{\"log\":{\"entries\":[\(Self.minimal),\n\(wrong),\n\(other),\(Self.minimal)]}}".utf8))
        #expect(try reader.next() != nil)
        let error = #expect(throws: HARError.self) { try reader.next() }
        #expect(error?.code == .invalidBase64 && error?.entry == 1 && error?.line == 2)
        #expect(error.map { !"\($0)".contains("se*same") } == true)
        let second = #expect(throws: HARError.self) { try reader.next() }
        #expect(second?.code == .unsupportedEncoding && second?.entry == 2 && second?.line == 3)
        #expect(try reader.next() != nil)
        #expect(try reader.next() == nil)
    }

    @Test func `an entry beyond the limit is an error, however long it is`() throws {
        try HARSamples.withFile { file in
            // A sparse file of 2 GiB: a body that never ends.
            let start =
                #"{"log":{"entries":[\#(Self.minimal),"#
                + #"{"startedDateTime":"2026-01-31T12:30:45Z","request":{"method":"GET","url":"http://h/"},"response":{"content":{"text":""#
            try Data(start.utf8).write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 2 << 30)
            try handle.seek(toOffset: UInt64(start.utf8.count))
            try handle.write(contentsOf: Data(repeating: UInt8(ascii: "x"), count: 1 << 20))
            try handle.close()
            var reader = try HARReader(file, maximumEntryBytes: 100_000)
            #expect(try reader.next() != nil)
            let error = #expect(throws: HARError.self) { try reader.next() }
            #expect(error?.code == .entryTooLong && error?.entry == 1)
            #expect(try reader.next() == nil)
        }
    }

    @Test func `of an archive whose writer was killed the entries before the end are read`() throws {
        let data = try HARSamples.written((0..<3).map { try HARSamples.exchange("http://h/\($0)") })
        for length in stride(from: data.count - 8, to: 100, by: -37) {
            var reader = try HARReader(data: data.prefix(length))
            var urls: [String] = []
            let error = #expect(throws: HARError.self) {
                while let entry = try reader.next() { urls.append(entry.request.url) }
            }
            #expect(error?.code == .malformed && error?.entry == urls.count)
            #expect(urls == (0..<urls.count).map { "http://h/\($0)" })
        }
    }

    @Test func `bytes at random never trap`() throws {
        let text = Array(HARSamples.chrome.utf8)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var damaged = text
            for _ in 0..<3 { damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: 0...255) }
            guard var reader = try? HARReader(data: Data(damaged)) else { continue }
            for _ in 0..<4 { if let entry = try? reader.next() { _ = try? entry.redacted().exchange() } }
        }
    }

    @Test(arguments: [
        "2026-01-31T12:30:45.250Z", "2026-01-31T13:30:45.250+01:00", "2026-01-31T07:00:45.25-0530",
        "20260131T123045.250000001Z",
    ])
    func `dates in each form of the schema are read`(text: String) throws {
        let entry = Self.minimal.replacing("2026-01-31T12:30:45Z", with: text)
        let date = try #require(try entries(#"{"log":{"entries":[\#(entry)]}}"#).first?.startedDateTime)
        #expect(abs(date.timeIntervalSince(HARSamples.start)) < 0.001)
    }
}

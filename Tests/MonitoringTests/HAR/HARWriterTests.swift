import Foundation
import HTTPMessages
import Monitoring
import PatchbayTestKit
import Queueing
import Testing
import Transport

/// Behavior 8: HTTP archives, out.
@Suite struct HARWriterTests {
    @Test func `an archive matches the schema, with all that an exchange has`() throws {
        var full = try HARSamples.exchange(
            "https://shop.example.com/items?q=a%20b&x=", method: .post,
            fields: ["Accept": "*/*", "Cookie": "a=1; b=2", "Content-Type": "application/json"], body: .text("[1]"),
            responseFields: ["Set-Cookie": "s=1; Path=/; Secure; HttpOnly; Expires=Thu, 01 Jan 2026 00:00:00 GMT"],
            responseBody: Data([0, 0xFF, 1]))
        full.serverIPAddress = "192.0.2.1"
        full.connection = "7"
        full.attempts = [HARAttempt(status: 503, backoff: 250), HARAttempt(error: "Connection lost.")]
        let failed = try HAREntry(
            HTTPRequest(.get, "https://shop.example.com/"), .failure(TransportError(.timedOut, "Timed out.")),
            startedAt: HARSamples.start, timings: .total(.seconds(3)))
        let archive = try JSONValue(parsing: HARSamples.written([full, failed]))
        #expect(HARSchema.violations(of: archive) == [])

        let entry = try #require(archive["log"]?["entries"]?[0])
        #expect(entry["startedDateTime"] == "2026-01-31T12:30:45.250Z" && entry["time"]?.double == 36.5)
        #expect(entry["timings"]?["ssl"]?.double == 6 && entry["timings"]?["blocked"] == nil)
        #expect(entry["request"]?["queryString"]?[0] == ["name": "q", "value": "a b"])
        #expect(entry["request"]?["postData"]?["text"] == "[1]" && entry["request"]?["bodySize"] == 3)
        #expect(entry["response"]?["content"]?["encoding"] == "base64")
        #expect(entry["response"]?["content"]?["text"] == "AP8B" && entry["response"]?["content"]?["size"] == 3)
        #expect(entry["response"]?["cookies"]?[0]?["expires"] == "2026-01-01T00:00:00.000Z")
        #expect(entry["_attempts"]?[0]?["status"] == 503 && entry["_attempts"]?[0]?["backoff"]?.double == 250)
        let second = try #require(archive["log"]?["entries"]?[1])
        #expect(second["response"]?["status"] == 0 && second["timings"]?["wait"]?.double == 3000)
        #expect(second["response"]?["_error"]?.string?.contains("timedOut") == true)
    }

    @Test func `descriptions and dumps of an entry and its parts show no secrets`() throws {
        let entry = try HARSamples.exchange(
            "https://shop.example.com/items?token=sesame", method: .post,
            fields: ["Authorization": "Bearer sesame", "Cookie": "a=sesame"], body: .text("sesame"),
            responseFields: ["Set-Cookie": "s=sesame"], responseBody: Data("sesame".utf8))
        #expect("\(entry)" == "POST https://shop.example.com/items?token=<redacted>: 200 OK")
        #expect("\(HARPair("Accept", "text/html"))" == "Accept: text/html")
        let form = HARPostData(
            mimeType: "application/x-www-form-urlencoded", params: [HARPostData.Parameter("tan", "sesame")])
        let parts: [Any] = [
            entry, entry.request, entry.response, entry.request.headers, entry.request.queryString,
            entry.request.cookies, entry.response.cookies, entry.request.postData as Any, entry.response.content, form,
            form.params as Any,
        ]
        for part in parts {
            var text = "\(part)"
            dump(part, to: &text)
            #expect(!text.contains("sesame"), "\(text)")
        }
    }

    @Test func `the file is an archive before, between and after entries`() throws {
        try HARSamples.withFile { file in
            let writer = try HARWriter(file)
            for count in 0...2 {
                let archive = try JSONValue(parsing: Data(contentsOf: file))
                #expect(HARSchema.violations(of: archive) == [] && archive["log"]?["entries"]?.array?.count == count)
                try writer.append(HARSamples.exchange())
            }
            #expect(writer.entryCount == 3)
            try writer.close()
            try writer.close()
            #expect(try HARReader.entries(of: file).count == 3)
            let error = #expect(throws: HARError.self) { try writer.append(HARSamples.exchange()) }
            #expect(error?.code == .closed)
        }
    }

    @Test(arguments: ["Gr\u{FC}\u{DF}e \u{20AC}", "plain"])
    func `a body whose label is not its charset keeps its bytes`(
        text: String
    ) throws {
        let body = Data(text.utf8)
        let written = try HARSamples.exchange(
            responseFields: ["Content-Type": "application/json;charset=ISO-8859-1"], responseBody: body)
        #expect(written.response.content.encoding == (text == "plain" ? nil : "base64"))
        #expect(try written.exchange()?.response.body == body)
    }

    @Test func `the attempts of a retried request are in the entry`() async throws {
        let script = ScriptedTransport([.status(.serviceUnavailable), .text("done")])
        let clock = ManualClock()
        let transport = Retrying(base: script, strategy: .standard, clock: clock)
        let request = try HTTPRequest(.get, "https://shop.example.com/")
        let response = try await clock.autoAdvancing { try await transport.send(request) }
        let entry = HAREntry(request, .success(response), startedAt: HARSamples.start)
        #expect(entry.attempts.map(\.status) == [503] && entry.attempts[0].backoff != nil)
    }

    @Test func `the field of a credential is not in an entry, regardless of its name`() throws {
        var request = try HTTPRequest(
            .get, "https://shop.example.com/", fields: HTTPFields(["X-Parcel": "k-4711", "X-Plain": "b"]))
        request.options.credentialFields = [try HTTPFieldName("X-Parcel")]
        let entry = HAREntry(request, .success(request.response(text: "done")), startedAt: HARSamples.start)
        #expect(entry.request.headers == [HARPair("X-Parcel", "<redacted>"), HARPair("X-Plain", "b")])
    }

    @Test func `a body with credentials is not in an entry, only its size`() throws {
        var request = try HTTPRequest(.post, "https://shop.example.com/", body: .text("correct-horse"))
        request.options.hasSecretBody = true
        for body in [nil, Data("correct-horse".utf8)] {
            let entry = HAREntry(
                request, .success(request.response(text: "done")), requestBody: body, startedAt: HARSamples.start)
            #expect(entry.request.postData?.text == "<redacted>" && entry.request.bodySize == 13)
        }
    }

    @Test func `bodies beyond the limit are cut, and size and comment say so`() throws {
        let limits = HARWriter.Limits(bodyBytes: 10)
        let entries = try [
            HARSamples.exchange(responseBody: Data("äöü äöü äöü".utf8)),
            HARSamples.exchange(responseBody: Data(repeating: 0xFF, count: 100)),
            HARSamples.exchange(method: .post, body: .text(String(repeating: "x", count: 1000))),
        ]
        let archive = try JSONValue(parsing: HARSamples.written(entries, limits: limits))
        #expect(HARSchema.violations(of: archive) == [])
        let contents = try #require(archive["log"]?["entries"]?.array).map { $0["response"]?["content"] }
        #expect(contents[0]?["text"] == "äöü ä" && contents[0]?["size"] == 20)
        #expect(contents[1]?["text"] == "////////////" && contents[1]?["size"] == 100)
        #expect(contents[0]?["comment"] == "Cut at 9 bytes." && contents[1]?["comment"] == "Cut at 9 bytes.")
        let post = archive["log"]?["entries"]?[2]?["request"]
        #expect(post?["postData"]?["text"] == "xxxxxxxxxx" && post?["bodySize"] == 1000)
    }

    @Test(arguments: 8...12) func `a binary body is as long as its bytes, not as their Base64`(count: Int) throws {
        let body = Data(repeating: 0xFF, count: count)
        try HARSamples.withFile { file in
            let writer = try HARWriter(file, limits: HARWriter.Limits(bodyBytes: 10))
            try writer.append(HARSamples.exchange(method: .post, body: .bytes(body), responseBody: body))
            try writer.close()
            let entry = try #require(try HARReader.entries(of: file).first)
            let kept = count > 10 ? body.prefix(9) : body
            #expect(try entry.response.content.body() == kept && entry.request.postData?.body() == kept)
            #expect((entry.response.content.comment == nil) == (count <= 10))
        }
    }

    @Test func `entries beyond the limit of the file are dropped and counted`() throws {
        try HARSamples.withFile { file in
            let writer = try HARWriter(file, limits: HARWriter.Limits(fileBytes: 3000))
            for _ in 0..<20 { try writer.append(HARSamples.exchange()) }
            #expect(writer.entryCount > 0 && writer.entryCount + writer.droppedCount == 20)
            try writer.close()
            let data = try Data(contentsOf: file)
            #expect(data.count <= 3000)
            let archive = try JSONValue(parsing: data)
            #expect(HARSchema.violations(of: archive) == [])
            #expect(archive["log"]?["comment"]?.string?.hasPrefix("\(writer.droppedCount) ") == true)
        }
    }

    @Test func `a second writer of the file fails until the first is closed`() throws {
        try HARSamples.withFile { file in
            let first = try HARWriter(file)
            try first.append(HARSamples.exchange())
            let error = #expect(throws: HARError.self) { try HARWriter(file) }
            #expect(error?.code == .fileInUse)
            #expect(try HARReader.entries(of: file).count == 1)
            try first.close()
            try HARWriter(file).close()
            #expect(try HARReader.entries(of: file).isEmpty)
        }
        let error = #expect(throws: HARError.self) { try HARWriter(URL(filePath: "/nowhere/a.har")) }
        #expect(error?.code == .unwritableFile)
    }

    @Test func `entries of many tasks are all there, each whole`() async throws {
        let file = HARSamples.temporaryFile()
        defer { try? FileManager.default.removeItem(at: file) }
        let writer = try HARWriter(file)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { try writer.append(HARSamples.exchange("https://shop.example.com/\(number)")) }
            }
            try await group.waitForAll()
        }
        try writer.close()
        let urls = try HARReader.entries(of: file).map(\.request.url)
        #expect(Set(urls).count == 200)
    }

    @Test func `no secret is written, wherever it is`() throws {
        let form = HAREntry(
            startedDateTime: HARSamples.start,
            request: HARRequest(
                method: "POST",
                url: "https://user:sesame@h/Sessions('sesame')?token=sesame&next=https%3A%2F%2Fh%3Fkey%3Dsesame#sesame",
                cookies: [HARCookie("a", "sesame")],
                headers: [
                    HARPair("Authorization", "Bearer sesame"), HARPair(":path", "/x?token=sesame"),
                    HARPair("X-Api-Key", "sesame"), HARPair("Referer", "https://h/?code=sesame"),
                    HARPair("X-Note", "use Bearer sesame12345"), HARPair("X-Database", "redis://:sesame@h"),
                ],
                queryString: [
                    HARPair("token", "sesame"), HARPair("next", "https://h?key=sesame"),
                    HARPair("database", "redis://:sesame@h"),
                ],
                postData: HARPostData(
                    mimeType: "application/x-www-form-urlencoded", text: "user=a&password=sesame",
                    params: [HARPostData.Parameter("password", "sesame")])),
            response: HARResponse(
                status: 302, cookies: [HARCookie("sid", "sesame")],
                headers: [HARPair("Set-Cookie", "sid=sesame"), HARPair("Location", "/cb?code=sesame")],
                content: HARContent(
                    size: 1, mimeType: "application/json",
                    text: #"{"access_token":"sesame","a":{"session":["sesame",7]},"note":"password=sesame"}"#),
                redirectURL: "/cb?code=sesame"),
            attempts: [HARAttempt(error: "token=sesame")])
        var xml = form
        xml.request.postData = HARPostData(body: Data("<password>\n sesame\n</password>".utf8), mimeType: "text/xml")
        xml.response.content = HARContent(body: Data("{\"token\":\"sesame".utf8), mimeType: "application/json")
        var encoded = form
        encoded.response.content.text = Data(#"{"token":"sesame"}"#.utf8).base64EncodedString()
        encoded.response.content.encoding = "base64"
        encoded.response.error = "Failed: token=sesame"
        var parts = form
        parts.request.postData = HARPostData(
            mimeType: "multipart/form-data; boundary=b",
            text: "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nsesame\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"data\"\r\nContent-Type: application/json\r\n\r\n{\"pin\":\"sesame\"}"
        )
        let data = try HARSamples.written([form, xml, encoded, parts])
        let text = String(decoding: data, as: UTF8.self)
        #expect(!text.contains("sesame"), "\(text)")
        for entry in try JSONValue(parsing: data)["log"]?["entries"]?.array ?? [] {
            if entry["response"]?["content"]?["encoding"] == "base64" {
                let bytes = Data(base64Encoded: entry["response"]?["content"]?["text"]?.string ?? "")
                #expect(bytes.map { !String(decoding: $0, as: UTF8.self).contains("sesame") } == true)
            }
        }
        #expect(text.contains(#"\"session\":[\"<redacted>\",0]"#))
    }

    @Test(arguments: [
        "https%3A%2F%2Fann%3Asesame%40h%2F", "%2Fauth%3Fnext%3D%252Fcb%253Ftoken%253Dsesame", "/cb?token=sesame",
        "https%3A%2F%2Fann%3Asesame%40h%2F%3Ftoken%3Dx", "%2Fa%3Ftoken%3Dx%26n%3D%252Fcb%253Fpassword%253Dsesame",
    ])
    func `a secret of a URL in a parameter is in no entry`(value: String) throws {
        var entry = try HARSamples.exchange("https://h/?next=\(value)")
        entry.request.postData = HARPostData(
            mimeType: "application/x-www-form-urlencoded",
            params: [HARPostData.Parameter("next", value.removingPercentEncoding)])
        let text = String(decoding: try JSONEncoder().encode(entry.redacted()), as: UTF8.self)
        #expect(!text.contains("sesame") && text.contains("<redacted>"), "\(text)")
    }

    @Test func `a link keeps its target without a secret`() throws {
        let entry = try HARSamples.exchange(
            responseFields: ["Link": "<https://h/oauth/token>; rel=next, </a?token=sesame&page=2>; rel=last"])
        let shown = "<https://h/oauth/token>; rel=next, </a?token=%3Credacted%3E&page=2>; rel=last"
        #expect(entry.redacted().response.headers.contains(HARPair("Link", shown)))
    }

    @Test func `a policy of the app hides its names, and all cookies`() throws {
        let entry = try HARSamples.exchange(
            fields: ["Cookie": "a=sesame", "X-Note": "_csrf=sesame; ssn=sesame; token=shown"],
            responseFields: ["Content-Type": "application/json", "Set-Cookie": "a=sesame"],
            responseBody: Data(#"{"_csrf":"sesame","token":"shown"}"#.utf8))
        let redacted = entry.redacted(Redaction(words: ["_csrf", "ssn"]))
        let text = String(decoding: try JSONEncoder().encode(redacted), as: UTF8.self)
        #expect(!text.contains("sesame"), "\(text)")
        #expect(redacted.response.content.text == #"{"_csrf":"<redacted>","token":"shown"}"#)
        #expect(redacted.request.headers.contains(HARPair("Cookie", "a=<redacted>")))
    }

    @Test(arguments: [HARSamples.chrome, HARSamples.firefox]) func `what is written is what a coder writes`(
        archive: String
    ) throws {
        var reader = try HARReader(data: Data(archive.utf8))
        var entries = [try HARSamples.exchange()]
        while let entry = try reader.next() { entries.append(entry) }
        entries[0].attempts = [HARAttempt(status: 503, backoff: 2.5), HARAttempt(status: 200, error: "Lost.")]
        entries[0].comment = "a \"comment\"\u{0}"
        let written = try JSONValue(parsing: HARSamples.written(entries))["log"]?["entries"]?.array ?? []
        for (entry, value) in zip(entries, written) {
            #expect(try JSONValue(parsing: JSONEncoder().encode(entry.redacted())) == value.withoutFractions)
        }
    }
}

extension JSONValue {
    /// Foundation writes 3.0 as 3.
    fileprivate var withoutFractions: JSONValue {
        switch self {
        case .number(let value): Int64(exactly: value).map { .integer($0) } ?? self
        case .array(let elements): .array(elements.map(\.withoutFractions))
        case .object(let members): .object(members.mapValues(\.withoutFractions))
        default: self
        }
    }
}

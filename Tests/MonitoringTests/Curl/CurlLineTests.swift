import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behavior 5: a request as a line of a shell.
@Suite(.needsSlot) struct CurlLineTests {
    @Test(arguments: [
        (HTTPMethod.get, "https://h.test/a?b=1", HTTPBody.empty, "curl 'https://h.test/a?b=1'"),
        (.head, "https://h.test/", .empty, "curl --head 'https://h.test/'"),
        (.delete, "https://h.test/", .empty, "curl -X 'DELETE' 'https://h.test/'"),
        (.post, "https://h.test/", .empty, "curl -X 'POST' 'https://h.test/'"),
        (
            .post, "https://h.test/", .text("@a'b"),
            #"curl 'https://h.test/' -H 'Content-Type:' --data-raw '@a'\''b'"#
        ),
        (
            .put, "https://[::1]/", .text(""),
            "curl -X 'PUT' --globoff 'https://[::1]/' -H 'Content-Type:' --data-raw ''"
        ),
        (
            .post, "https://h.test/", .bytes(Data([0])),
            "curl 'https://h.test/' -H 'Content-Type:' --data-binary '@body.bin'"
        ),
        (
            .post, "https://h.test/?key=abc", .text("a"),
            "curl 'https://h.test/?key=<redacted>' -H 'Content-Type:' --data-raw 'a'"
        ),
    ])
    func `lines`(_ method: HTTPMethod, _ url: String, _ body: HTTPBody, _ line: String) throws {
        let url = try #require(URL(string: url))
        #expect(try HTTPRequest(method, url, body: body).curl() == line)
    }

    @Test(arguments: [
        ("http", RequestOptions { $0.unixSocketPath = "/run/a b'c.sock" }, #"--unix-socket '/run/a b'\''c.sock'"#),
        (
            "https", RequestOptions { $0.nameOverrides = ["h.test": "203.0.113.7", "g.test": "::1", "k": "[::1]"] },
            "--connect-to 'g.test::[::1]:' --connect-to 'h.test::203.0.113.7:' --connect-to 'k::[::1]:'"
        ),
        (
            "https", RequestOptions { $0.nameOverrides = ["::1": "h.test"] }, "--connect-to '[::1]::h.test:'"
        ),
        ("https", RequestOptions { $0.httpVersion = .http1 }, "--http1.1"),
        ("https", RequestOptions { $0.httpVersion = .http2 }, "--http2"),
        ("http", RequestOptions { $0.httpVersion = .http2 }, "--http2-prior-knowledge"),
        ("https", RequestOptions { $0.httpVersion = .http3 }, "--http3"),
    ])
    func `a line connects as the request does`(_ scheme: String, _ options: RequestOptions, _ words: String) throws {
        let request = try HTTPRequest(.delete, "\(scheme)://h.test/7", options: options)
        #expect(request.curl() == "curl -X 'DELETE' '\(scheme)://h.test/7' \(words)")
    }

    @Test func `the secret parts of a multipart body are redacted by their names`() throws {
        let body = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--b--\r\n"
        let request = try HTTPRequest(
            .post, "https://h.test/", fields: HTTPFields(["Content-Type": "multipart/form-data; boundary=b"]),
            body: .bytes(Data(body.utf8)))
        let line = request.curl()
        #expect(!line.contains("hunter2") && line.contains("name=\"password\""))
    }

    @Test func `the secret members of JSON are redacted by their decoded names`() throws {
        let request = try HTTPRequest(
            .post, "https://h.test/", fields: HTTPFields(["Content-Type": "application/json"]),
            body: .text(#"{"p\u0061ssword": "hunter2", "user[pin]": 7, "a": 1}"#))
        #expect(request.curl().hasSuffix(#"'{"p\u0061ssword": "<redacted>", "user[pin]": 0, "a": 1}'"#))
    }

    @Test func `a body may be written to its own file`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "upload")
        try Data("content".utf8).write(to: file)
        let request = try HTTPRequest(.post, "https://h.test/", body: .file(at: file))
        let line = try await request.curl(writingBodyTo: file)
        #expect(try line.contains(file.path) && Data(contentsOf: file) == Data("content".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(try attributes[.posixPermissions] as? Int == 0o600 && folder.names == ["upload"])
    }

    @Test func `a body is written through a symbolic link, and to a file with a long name`() async throws {
        let folder = try TemporaryFolder()
        let (file, link) = (
            folder.url.appending(path: String(repeating: "n", count: 250)), folder.url.appending(path: "link")
        )
        try Data("old".utf8).write(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        _ = try await HTTPRequest(.post, "https://h.test/", body: .text("new")).curl(writingBodyTo: link)
        #expect(try Data(contentsOf: file) == Data("new".utf8) && folder.names.count == 2)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
    }

    @Test func `secrets are shown if asked for only`() throws {
        let request = try HTTPRequest(
            .post, "https://h.test/?api_key=s3cret", fields: HTTPFields(["Authorization": "Bearer s3cret"]),
            body: .text("{\"token\": \"s3cret\"}"))
        #expect(!request.curl().contains("s3cret"))
        #expect(request.curl(showingSecrets: true).components(separatedBy: "s3cret").count == 4)
    }

    @Test(arguments: [
        ("pass%77ord", "s3cret"), ("payload", "%7B%22token%22%3A%22sesame%22%7D"),
        ("redirect", "https%3A%2F%2Fa%2Fcb%3Ftoken%3Dsesame"),
    ])
    func `a form keeps its other pairs, also with an encoded name or value`(name: String, value: String) throws {
        let request = try HTTPRequest(
            .post, "https://h.test/", fields: HTTPFields(["Content-Type": "application/x-www-form-urlencoded"]),
            body: .text("a=1&\(name)=\(value)&b=2"))
        #expect(request.curl().contains("'a=1&\(name)=<redacted>&b=2'"))
    }

    @Test func `a text without secrets keeps its line breaks`() throws {
        let request = try HTTPRequest(.post, "https://h.test/", body: .text("a\n\n b"))
        #expect(request.curl().hasSuffix("--data-raw 'a\n\n b'"))
    }

    @Test func `a body that is written has mode 0600, in pieces of any kind`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let parts = HTTPBody.sequence([.text("a"), .bytes(Data([0, 255]))])
        let line = try await HTTPRequest(.put, "https://h.test/", body: parts).curl(writingBodyTo: file)
        #expect(line.hasSuffix("--data-binary '@\(file.path(percentEncoded: false))'"))
        #expect(try Data(contentsOf: file) == Data([0x61, 0, 255]))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a file is sent from where it is, a part of one is not`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("hello".utf8).write(to: file)
        let whole = try HTTPRequest(.put, "https://h.test/", body: .file(at: file))
        #expect(whole.curl().hasSuffix("--data-binary '@\(file.path(percentEncoded: false))'"))
        let part = try HTTPRequest(.put, "https://h.test/", body: .file(at: file, range: 1..<3))
        #expect(part.curl().hasSuffix("--data-binary '@body.bin'"))
    }

    @Test func `1,000 random lines send the same bytes`() async throws {
        var generator = SeededGenerator(seed: 38)
        try await LoopbackServer { _ in HTTPResponse(status: .ok, url: URL(filePath: "/")) }.stopping { server in
            var requests: [HTTPRequest] = []
            var lines: [String] = []
            let folder = FileManager.default.temporaryDirectory.appending(path: "curl ' \(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            for number in 0..<1000 {
                let request = try Self.request(number, server, &generator)
                requests.append(request)
                var line = request.curl(showingSecrets: true)
                if line.contains("@body.bin") {
                    line = try await request.curl(
                        writingBodyTo: folder.appending(path: "\(number)"), showingSecrets: true)
                }
                lines.append("\(line) -s -o /dev/null")
            }
            for start in stride(from: 0, to: 1000, by: 100) {
                let script = lines[start..<start + 100].joined(separator: "\n")
                #expect(try await ChildProcess.run("/bin/sh", ["-c", script]) == .exited(0))
            }
            let received = server.requests
            #expect(received.count == 1000)
            for (request, received) in zip(requests, received) {
                #expect(received.method == request.method.name)
                #expect(request.url.absoluteString.hasSuffix(received.target))
                #expect(try await request.body.collect() == received.body, "\(received.number)")
                for field in request.fields { #expect(received.fields.values(of: field.name) == [field.value]) }
                #expect(received.fields.contains(.contentType) == request.fields.contains(.contentType))
            }
        }
    }

    private static func request(
        _ number: Int, _ server: LoopbackServer, _ generator: inout SeededGenerator
    ) throws -> HTTPRequest {
        let characters = Array("ab'\"\\$`!*?[]{}()<>|&;#~%^ \t\n=+@-_.,:/äß漢😀\u{7F}\u{1}")
        func text(_ limit: Int) -> String {
            String(
                (0..<Int.random(in: 0...limit, using: &generator)).map { _ in
                    characters.randomElement(using: &generator) ?? "a"
                })
        }
        let encoded = text(12).addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""
        let method: HTTPMethod = [.get, .post, .put, .delete, .patch].randomElement(using: &generator) ?? .get
        var body = HTTPBody.empty
        if method.allowsBody, method != .delete {
            body =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: .empty
                case 1:
                    .bytes(
                        Data(
                            (0..<Int.random(in: 0..<300, using: &generator)).map { _ in
                                UInt8.random(in: 0...255, using: &generator)
                            }))
                default: .text(text(60))
                }
        }
        var request = try HTTPRequest(method, server.url(of: "/\(number)?q=\(encoded)"), body: body)
        for index in 0..<Int.random(in: 0..<3, using: &generator) {
            let value = String(text(20).unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F })
            try request.fields.set("X-Field-\(index)", to: value)
        }
        if Bool.random(using: &generator) { try request.fields.set(.contentType, to: "text/plain") }
        return request
    }
}

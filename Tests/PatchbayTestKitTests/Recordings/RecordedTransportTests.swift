import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Behavior 9: recordings.
@Suite struct RecordedTransportTests {
    private func get(_ path: String, fields: KeyValuePairs<String, String> = [:]) throws -> HTTPRequest {
        try HTTPRequest(.get, "https://shop.example.com" + path, fields: HTTPFields(fields))
    }

    private func post(_ path: String, _ body: String, type: String = "application/json") throws -> HTTPRequest {
        try HTTPRequest(
            .post, "https://shop.example.com" + path, fields: HTTPFields(["Content-Type": type]), body: .text(body))
    }

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "shop.json"))
    }

    /// Records requests to a server that counts.
    private func record(
        _ requests: [HTTPRequest], in file: URL, mode: Recording.Mode = .record, rules: RecordingRules = .standard
    ) async throws {
        let counter = Watched(0)
        let server = FakeTransport { request in
            let number = counter.update { count -> Int in
                count += 1
                return count
            }
            return request.response(text: "\(number) \(request.url.path)")
        }
        let transport = Recording.transport(file, mode: mode, rules: rules, over: server)
        for request in requests { _ = try await transport.send(request) }
        try transport.save()
    }

    private func replay(_ file: URL, _ rules: RecordingRules = .standard) -> RecordedTransport<FakeTransport> {
        Recording.transport(
            file, rules: rules,
            over: FakeTransport { request in throw TransportError(.unreachable, "Sent.", request: request) })
    }

    private func text(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test func `what was recorded is replayed without the network`() async throws {
        try await withFile { file in
            try await record([get("/a?x=1&y=2"), post("/b", "{}")], in: file)
            let transport = replay(file)
            let response = try await transport.send(get("/a?y=2&x=1"))
            #expect(text(response) == "1 /a" && response.fields[.contentType] == "text/plain; charset=utf-8")
            #expect(response.head.method == .get && response.url.path == "/a")
            #expect(throws: RecordingError.self) { try transport.verify() }
            #expect(text(try await transport.send(post("/b", "other"))) == "2 /b")
            try transport.verify()
        }
    }

    @Test func `a file is replayed without a base, and may have exchanges that are optional`() async throws {
        try await withFile { file in
            try await record([get("/a"), get("/b"), get("/c")], in: file)
            var recording = try Recording(contentsOf: file)
            recording.exchanges[1].isOptional = true
            try recording.write(to: file)
            let transport = Recording.transport(file)
            #expect(text(try await transport.send(get("/a"))) == "1 /a")
            let error = #expect(throws: RecordingError.self) { try transport.verify() }
            #expect(error?.message.hasPrefix("1 recorded exchanges") == true && error?.message.contains("/c") == true)
            #expect(text(try await transport.send(get("/c"))) == "3 /c")
            try transport.verify()
            await #expect(throws: RecordingError.self) { try await transport.send(get("/d")) }
            #expect(text(try await transport.send(get("/b"))) == "2 /b")
        }
    }

    @Test func `the file is readable for all, as others of version control`() async throws {
        try await withFile { file in
            try await record([get("/a")], in: file)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            let made = file.deletingLastPathComponent().appending(path: "made")
            #expect(FileManager.default.createFile(atPath: made.path, contents: nil))
            let usual = try FileManager.default.attributesOfItem(atPath: made.path)[.posixPermissions] as? Int
            // The process's mask may take some away.
            #expect(mode == usual.map { $0 & 0o644 })
        }
    }

    @Test func `repeated requests get their responses in order, then fail or repeat the last`() async throws {
        try await withFile { file in
            try await record([get("/a"), get("/b"), get("/a")], in: file)
            let transport = replay(file)
            #expect(text(try await transport.send(get("/a"))) == "1 /a")
            #expect(text(try await transport.send(get("/a"))) == "3 /a")
            let error = await #expect(throws: RecordingError.self) { try await transport.send(get("/a")) }
            #expect(error?.code == .noMatch && error?.message.contains("2 times") == true && error?.exchange == 2)
            let lenient = replay(file, RecordingRules { $0.exhaustion = .last })
            for _ in 0..<2 { _ = try await lenient.send(get("/a")) }
            #expect(text(try await lenient.send(get("/a"))) == "3 /a")
        }
    }

    @Test func `a page is found by its token, which is a position in a list and no secret`() async throws {
        try await withFile { file in
            try await record([get("/a?pageToken=position-2"), get("/a?pageToken=position-3")], in: file)
            let transport = replay(file)
            #expect(text(try await transport.send(get("/a?pageToken=position-3"))) == "2 /a")
            #expect(text(try await transport.send(get("/a?pageToken=position-2"))) == "1 /a")
        }
    }

    @Test func `an unmatched request fails with the nearest recording and the difference`() async throws {
        try await withFile { file in
            try await record([get("/other"), get("/items/1?page=1&token=sesame")], in: file)
            let transport = replay(file)
            let error = await #expect(throws: RecordingError.self) {
                try await transport.send(get("/items/1?page=2&token=sesame"))
            }
            #expect(error?.exchange == 1 && error?.differences.map(\.part) == [.parameter("page")])
            #expect(error?.differences.first?.recorded == "1" && error?.differences.first?.sent == "2")
            let text = try #require(error.map { "\($0)" })
            #expect(text.contains("query parameter `page`: recorded 1, sent 2") && !text.contains("sesame"), "\(text)")
            let path = await #expect(throws: RecordingError.self) { try await transport.send(get("/items/2?page=1")) }
            #expect(path?.exchange == 1 && path?.differences.map(\.part) == [.path, .parameter("token")])
        }
    }

    @Test func `names that only the app's rules call secret are in no error`() async throws {
        let rules = RecordingRules { $0.redaction = Redaction(words: ["ssn"]) }
        let exchange = Recording.Exchange(try get("/a?ssn=1"), try get("/a").response())
        let transport = Recording([exchange]).transport(rules: rules)
        let error = await #expect(throws: RecordingError.self) { try await transport.send(get("/b?ssn=sesame")) }
        #expect(error.map { !"\($0) \($0.failingURL ?? "")".contains("sesame") } == true)
    }

    @Test func `update replays what is there, and adds what is not`() async throws {
        try await withFile { file in
            try await record([get("/a")], in: file)
            try await record([get("/a"), get("/b")], in: file, mode: .update)
            let transport = replay(file)
            #expect(text(try await transport.send(get("/a"))) == "1 /a")
            // The server of the update has answered one request.
            #expect(text(try await transport.send(get("/b"))) == "1 /b")
        }
        try await withFile { file in
            let transport = Recording.transport(file, mode: .update, over: FakeTransport { $0.response(text: "new") })
            _ = try await transport.send(get("/a"))
            try transport.save()
            try transport.save()
            _ = try await transport.send(get("/a"))
            try transport.save()
            #expect(try RecordingReader.exchanges(file).count == 2)
        }
    }

    @Test func `two transports that update one file keep what both add`() async throws {
        try await withFile { file in
            let transports = (0..<2).map { number in
                Recording.transport(file, mode: .update, over: FakeTransport { $0.response(text: "\(number)") })
            }
            for (number, transport) in transports.enumerated() { _ = try await transport.send(get("/\(number)")) }
            for transport in transports { try transport.save() }
            let transport = replay(file)
            for number in 0..<2 { #expect(text(try await transport.send(get("/\(number)"))) == "\(number)") }
        }
    }

    @Test func `fields and bodies are compared if the rules say so`() async throws {
        try await withFile { file in
            let rules = RecordingRules {
                $0.fields = [.accept]
                $0.comparesBody = true
                $0.ignoredParameters = ["time"]
            }
            let requests = try [
                get("/a?time=1", fields: ["Accept": "text/plain"]), get("/a", fields: ["Accept": "text/html"]),
                post("/b", #"{"x":1,"y":[{"time":5}]}"#), post("/b", #"{"x":2}"#),
                post("/f", "a=1&b=2", type: "application/x-www-form-urlencoded"),
            ]
            try await record(requests, in: file, rules: rules)
            let transport = replay(file, rules)
            #expect(text(try await transport.send(get("/a?time=9", fields: ["Accept": "text/html"]))) == "2 /a")
            #expect(text(try await transport.send(post("/b", #"{ "x": 2 }"#))) == "4 /b")
            #expect(text(try await transport.send(post("/b", #"{"y":[{"time":6}],"x":1}"#))) == "3 /b")
            let form = try post("/f", "b=2&a=1&time=7", type: "application/x-www-form-urlencoded")
            #expect(text(try await transport.send(form)) == "5 /f")
            let error = await #expect(throws: RecordingError.self) { try await transport.send(post("/b", #"{"x":3}"#)) }
            #expect(error?.differences.map(\.description) == ["body at `x`: recorded 2, sent 3"])
        }
    }

    @Test func `a query that is not compared does not matter`() async throws {
        let rules = RecordingRules { $0.comparesQuery = false }
        let exchange = Recording.Exchange(try get("/a?time=1"), try get("/a").response(text: "a"))
        #expect(text(try await Recording([exchange]).transport(rules: rules).send(get("/a?time=2&x=3"))) == "a")
        let error = await #expect(throws: RecordingError.self) {
            try await Recording([exchange]).transport(rules: rules).send(
                HTTPRequest(.delete, "https://shop.example.com/a"))
        }
        #expect(error?.differences.map(\.part) == [.method])
    }

    @Test func `exchanges of another source are written without secrets, and read`() async throws {
        try await withFile { file in
            let exchange = Recording.Exchange(try get("/a?token=sesame-12345"), try get("/a").response(text: "a"))
            try Recording([exchange]).write(to: file)
            let read = try Recording(contentsOf: file)
            #expect(read.exchanges.map(\.body) == [Data("a".utf8)])
            #expect(try !String(contentsOf: file, encoding: .utf8).contains("sesame"))
            #expect(text(try await replay(file).send(get("/a?token=other"))) == "a")
            let echo = Recording.Exchange(
                try get("/a?token=sesame-12345"), try get("/a").response(text: "sesame-12345"))
            let error = #expect(throws: RecordingError.self) { try Recording([echo]).write(to: file) }
            #expect(error?.code == .secretFound)
            #expect(try Recording(contentsOf: file).exchanges.count == 1)
            let missing = #expect(throws: RecordingError.self) { try Recording(contentsOf: URL(filePath: "/nowhere")) }
            #expect(missing?.code == .unreadableFile)
        }
    }

    @Test func `a body that is read once is compared, recorded and sent`() async throws {
        try await withFile { file in
            let rules = RecordingRules { $0.comparesBody = true }
            func upload(_ text: String) throws -> HTTPRequest {
                let chunks = AsyncStream<Data> { continuation in
                    for byte in text.utf8 { continuation.yield(Data([byte])) }
                    continuation.finish()
                }
                return try HTTPRequest(.put, "https://shop.example.com/u", body: .stream(chunks))
            }
            let server = FakeTransport { request in request.response(body: try await request.body.collect()) }
            let recorder = Recording.transport(file, mode: .record, rules: rules, over: server)
            for word in ["one", "two"] { #expect(text(try await recorder.send(upload(word))) == word) }
            try recorder.save()
            #expect(text(try await replay(file, rules).send(upload("two"))) == "two")
            let streamed = try await replay(file, rules).stream(upload("one")).collect()
            #expect(text(streamed) == "one")
        }
    }

    @Test func `requests are normalized before they are compared`() async throws {
        try await withFile { file in
            let rules = RecordingRules { rules in
                rules.normalize = { request in
                    try request.setURL("https://shop.example.com" + request.url.path.replacing(#/[0-9]+/#, with: "n"))
                }
            }
            try await record([get("/items/17?x=1")], in: file, rules: rules)
            #expect(text(try await replay(file, rules).send(get("/items/4711"))) == "1 /items/17")
        }
    }

    @Test func `requests that are not included are sent in each mode`() async throws {
        try await withFile { file in
            let rules = RecordingRules { $0.includes = { $0.url.path != "/live" } }
            try await record([get("/a"), get("/live")], in: file, rules: rules)
            #expect(try RecordingReader.exchanges(file).count == 1)
            let error = await #expect(throws: TransportError.self) { try await replay(file, rules).send(get("/live")) }
            #expect(error?.code == .unreachable)
        }
    }

    @Test func `concurrent requests are recorded in the order of their start`() async throws {
        try await withFile { file in
            let gate = Gate()
            let server = ScriptedTransport { request in
                if request.url.path == "/0" { try await gate.wait() }
                return request.response(text: request.url.path)
            }
            let transport = Recording.transport(file, mode: .record, over: server)
            async let first = transport.send(get("/0"))
            try await gate.waitForWaiters(1)
            for number in 1..<20 { _ = try await transport.send(get("/\(number)")) }
            try transport.save()
            #expect(try RecordingReader.exchanges(file).count == 19)
            gate.open()
            _ = try await first
            try transport.save()
            #expect(try RecordingReader.urls(file) == (0..<20).map { "https://shop.example.com/\($0)" })
        }
    }

    @Test func `of 1,000 concurrent requests each gets one recording`() async throws {
        let exchanges = try (0..<1000).map { number in
            let request = try get("/\(number % 10)")
            return Recording.Exchange(request, request.response(text: "\(number)"))
        }
        let transport = Recording(exchanges).transport()
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<1000 { group.addTask { text(try await transport.send(get("/\(number % 10)"))) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts.count == 1000)
    }

    @Test func `a cancelled request is not recorded, and a replay can be cancelled`() async throws {
        try await withFile { file in
            let transport = Recording.transport(file, mode: .record, over: ScriptedTransport([.never]))
            let task = Task { try await transport.send(get("/a")) }
            try await transport.base.requests(count: 1)
            task.cancel()
            _ = await task.result
            #expect(transport.recorded.isEmpty)
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await Recording([Recording.Exchange(get("/a"), get("/a").response())]).transport().send(
                    get("/a"))
            }
            let error = await #expect(throws: TransportError.self) { try await cancelled.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func `a replayed response keeps size limit and events`() async throws {
        let observer = EventRecorder()
        var request = try get("/a")
        let recording = Recording([Recording.Exchange(request, request.response(text: "hello"))])
        _ = try await recording.transport().send(request, observer: observer)
        #expect(observer.events.count == 2 && observer.events.last == .receivedBytes(5, total: 5))
        let transport = recording.transport()
        request.options.maximumResponseBytes = 4
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .responseTooLarge)
    }

    @Test func `saving without an exchange fails, and the file stays`() async throws {
        try await withFile { file in
            try await record([get("/a")], in: file)
            let transport = Recording.transport(file, mode: .record, over: FakeTransport { $0.response(text: "new") })
            let error = #expect(throws: RecordingError.self) { try transport.save() }
            #expect(error?.code == .nothingRecorded)
            #expect(try RecordingReader.urls(file) == ["https://shop.example.com/a"])
        }
    }

    @Test func `bodies beyond the limit make saving fail, and the file stays`() async throws {
        try await withFile { file in
            try await record([get("/a")], in: file)
            let rules = RecordingRules { $0.maximumBodyBytes = 10 }
            let server = FakeTransport { $0.response(body: Data(count: 11)) }
            let transport = Recording.transport(file, mode: .record, rules: rules, over: server)
            #expect(try await transport.stream(get("/b")).collect().body.count == 11)
            let error = #expect(throws: RecordingError.self) { try transport.save() }
            #expect(error?.code == .bodyTooLarge)
            #expect(try RecordingReader.urls(file) == ["https://shop.example.com/a"])
            // 2 GiB, of which no more than the limit is read for the recording.
            let large = try HTTPRequest(
                .put, "https://shop.example.com/", body: .generated(length: 2 << 30) { EndlessZeros() })
            _ = try await transport.send(large)
            let once = try HTTPRequest(
                .put, "https://shop.example.com/", body: .stream(AsyncStream { Data(count: 11) }))
            let refused = await #expect(throws: RecordingError.self) { try await transport.send(once) }
            #expect(refused?.code == .bodyTooLarge)
        }
    }
}

/// A body without an end.
private final class EndlessZeros: HTTPBodyReader {
    func read(atMost count: Int) -> Data? { Data(count: count) }
}

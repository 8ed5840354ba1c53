import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// Reads a streamed body to its end or its error.
    private static func read(
        _ stream: () async throws -> HTTPResponseStream
    ) async -> (bytes: Data, error: (any Error)?) {
        var bytes = Data()
        do {
            for try await chunk in try await stream().body { bytes += chunk }
            return (bytes, nil)
        } catch {
            return (bytes, error)
        }
    }

    /// A script that sends an endless body in chunks of one byte.
    private static let endless: @Sendable (RecordedRequest) -> ServerScript = { request in
        guard request.target != "/next" else { return [.respond(with: .text)] }
        return [
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .drip(Data(String(repeating: "1\r\nx\r\n", count: 1_000_000).utf8), size: 6, every: .milliseconds(5)),
        ]
    }

    /// A case in which a reader stops, and the transfer must end.
    private static func ends(
        _ name: String, when stop: @escaping @Sendable (HTTPResponseStream) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.streaming, .socket]) { subject in
            try await subject.serving(script: endless) { rig in
                try await stop(rig.stream())
                try await rig.server?.waitForOpenConnections(0)
                try await expect(rig.stream(.get, "/next").collect().body, is: Data("0123456789".utf8))
            }
        }
    }

    /// Streamed bodies.
    static let streaming: [ConformanceCase] =
        [0, 1, 65_536, 3 << 20].map { size in
            ConformanceCase("a streamed body of \(size) bytes comes whole", needs: [.streaming]) { subject in
                for fields in [HTTPFields(), try HTTPFields(["Transfer-Encoding": "chunked"])] {
                    try await subject.serving({ $0.response(fields: fields, body: .sample(size)) }) { rig in
                        // The limit applies only to bodies in memory.
                        let response = try await rig.stream(limit: 10)
                        try expect(response.status, is: .ok, "the status")
                        try await expect(response.collect().body, is: .sample(size))
                    }
                }
            }
        } + [
            ConformanceCase("a streamed response without a body ends at once", needs: [.streaming]) { subject in
                try await subject.serving({ request in
                    request.response(HTTPStatus(Int(request.url.lastPathComponent) ?? 0) ?? .ok, body: Data("x".utf8))
                }) { rig in
                    for (method, path) in [(HTTPMethod.head, "/200"), (.get, "/204"), (.get, "/304")] {
                        try await expect(rig.stream(method, path).collect().body, is: Data())
                    }
                }
            },
            ConformanceCase("an error status is streamed as well", needs: [.streaming]) { subject in
                try await subject.serving({ $0.response(.notFound, text: "not here") }) { rig in
                    let response = try await rig.stream().collect()
                    try expect(response.status, is: .notFound, "the status")
                    try expect(response.body, is: Data("not here".utf8))
                }
            },
            ConformanceCase("a streamed request comes back as a stream", needs: [.streaming]) { subject in
                try await subject.serving(.echo) { rig in
                    let body = Data.sample(1 << 20)
                    let pieces = [body.prefix(7), body.dropFirst(7)]
                    let response = try await rig.stream(.post, body: .stream(stream(pieces)))
                    try await expect(response.collect().body, is: body)
                }
            },
            ConformanceCase("the head comes before the body", needs: [.streaming, .socket]) { subject in
                let gate = Gate()
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
                let script: ServerScript = [.send(head), .wait(for: gate), .send("0")]
                try await subject.serving(script: { _ in script }) { rig in
                    let response = try await rig.stream()
                    gate.open()
                    try await expect(response.collect().body, is: Data("0".utf8))
                }
            },
            ConformanceCase("pieces come when they are sent", needs: [.streaming, .socket]) { subject in
                let gates = (0..<3).map { _ in Gate() }
                let pieces: [ServerScript.Step] = gates.indices.flatMap { [.send("\($0)"), .wait(for: gates[$0])] }
                // A media type, and the first byte with the head, for engines that sniff.
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n"
                let script = ServerScript([.send(head)] + pieces)
                try await subject.serving(script: { _ in script }) { rig in
                    var chunks = try await rig.stream().body.makeAsyncIterator()
                    for (index, gate) in gates.enumerated() {
                        try await expect(chunks.next(), is: Data("\(index)".utf8), "the next piece")
                        gate.open()
                    }
                    try await expect(chunks.next(), is: nil, "the chunk after the last piece")
                }
            },
            ConformanceCase("a slow reader gets everything", needs: [.streaming]) { subject in
                try await subject.serving({ $0.response(body: .sample(3 << 20)) }) { rig in
                    let events = EventRecorder()
                    let response = try await rig.stream(observer: events)
                    // Over a network the whole body arrives before the first byte is read.
                    if rig.server != nil {
                        try await events.wait { $0.contains(.receivedBytes(3 << 20, total: 3 << 20)) }
                    }
                    var bytes = Data()
                    for try await chunk in response.body {
                        bytes += chunk
                        await Task.yield()
                    }
                    try expect(bytes, is: .sample(3 << 20))
                    try expect(events.events.last, is: .receivedBytes(3 << 20, total: 3 << 20), "the last event")
                }
            },
            ConformanceCase("a body in gzip is streamed decoded", needs: [.streaming, .socket]) { subject in
                let fields = try HTTPFields(["Content-Encoding": "gzip"])
                let body = Data(base64Encoded: Coded.gzip) ?? Data()
                try await subject.serving({ $0.response(fields: fields, body: body) }) { rig in
                    let response = try await rig.stream().collect()
                    try expect(response.body, is: Coded.text)
                    try expect(response.fields[.contentEncoding], is: nil, "Content-Encoding")
                }
            },
            ConformanceCase("a streamed body can be read once", needs: [.streaming]) { subject in
                try await subject.serving(.text) { rig in
                    let response = try await rig.stream()
                    try await expect(response.collect().body, is: Data("0123456789".utf8))
                    let (bytes, error) = await read { response }
                    let code = (error as? HTTPMessageError)?.code
                    try expect(bytes, is: Data())
                    try expect(code, is: .bodyAlreadyRead, "the error of the second read")
                }
            },
            ends("a reader that stops early ends the transfer") { response in
                for try await _ in response.body { break }
            },
            ends("a streamed response that is dropped ends the transfer") { _ in },
            ends("cancelling the reading task ends the transfer") { response in
                let hasBegun = Gate()
                let reader = Task {
                    for try await _ in response.body { hasBegun.open() }
                }
                try await hasBegun.wait()
                reader.cancel()
                try await expectError(.cancelled) { try await reader.value }
            },
            ConformanceCase(
                "a streamed body that is cut short is an error, after its bytes", needs: [.streaming, .faults]
            ) {
                subject in
                for (fault, codes) in [
                    (Fault.close(.inBody), [TransportError.Code.truncated]), (.overstatedLength, [.truncated]),
                    (.reset(.inBody), [.connectionLost, .truncated]),
                ] {
                    try await subject.serving(.text, faults: { $0 == 0 ? fault : nil }) { rig in
                        let (bytes, error) = await read { try await rig.stream(.post, body: .text("x")) }
                        try await expectError(codes) { if let error { throw error } }
                        try expect(
                            Data("0123456789".utf8).starts(with: bytes), "the received bytes differ from those sent")
                        if fault == .close(.inBody) { try expect(bytes, is: Data("01234".utf8)) }
                        try await expect(rig.stream().collect().body.count, is: 10, "the length of the next body")
                    }
                }
            },
            ConformanceCase("a stalled streamed body hits the idle timeout", needs: [.streaming, .faults]) {
                subject in
                try await subject.servingWithDeadline(.text, fault: { _, _ in .stall(.inBody) }) { rig, limit in
                    let call = Task {
                        await read { try await rig.stream(timeouts: Timeouts(response: nil, idle: limit)) }
                    }
                    if rig.clock != nil { try await rig.requests(count: 1) }
                    let (_, end) = await rig.withTimePassing { await call.value }
                    let error = try await expectError(.timedOut) { if let end { throw end } }
                    if rig.requests.isEmpty { throw EarlyDeadline() }
                    try expect(error.phase, is: .idle, "the phase")
                }
            },
            ConformanceCase("a slow reader hits no timeout", needs: [.streaming, .socket, .clock]) { subject in
                try await subject.serving(ClosureService { $0.response(body: .sample(200_000)) }, movesClock: true) {
                    rig in
                    let timeouts = Timeouts(response: .seconds(9), idle: .seconds(9), total: .seconds(9))
                    let events = EventRecorder()
                    let response = try await rig.stream(timeouts: timeouts, observer: events)
                    try await events.wait { $0.contains(.receivedBytes(200_000, total: 200_000)) }
                    // The next response shows that the transport has seen the end of this one.
                    _ = try await rig.send()
                    await rig.clock?.advance(by: .seconds(1000))
                    try await expect(response.collect().body, is: .sample(200_000))
                }
            },
            ConformanceCase("received bytes of a stream are counted", needs: [.streaming]) { subject in
                try await subject.serving({ $0.response(body: .sample(200_000)) }) { rig in
                    let events = EventRecorder()
                    let response = try await rig.stream(observer: events)
                    _ = try await response.collect()
                    let counts = events.events.compactMap {
                        if case .receivedBytes(let count, _) = $0 { count } else { nil }
                    }
                    try expect(counts == counts.sorted() && counts.last == 200_000, "the counts are \(counts)")
                    try expect(events.events.first, is: .head(response.head), "the first event")
                }
            },
            ConformanceCase("each of twenty concurrent streams gets its own body", needs: [.streaming]) { subject in
                try await subject.serving(.echo) { rig in
                    try await withThrowingTaskGroup(of: (Int, Data).self) { group in
                        for number in 0..<20 {
                            group.addTask {
                                let body = HTTPBody.bytes(.sample(100_000 + number))
                                return (number, try await rig.stream(.post, body: body).collect().body)
                            }
                        }
                        for try await (number, body) in group { try expect(body, is: .sample(100_000 + number)) }
                    }
                }
            },
            ConformanceCase("a stream follows redirects and keeps cookies", needs: [.streaming]) { subject in
                let fields = try HTTPFields(["Location": "/there", "Set-Cookie": "a=1; Path=/"])
                try await subject.serving({ request in
                    request.url.path() == "/there"
                        ? request.response(text: "there") : request.response(.found, fields: fields)
                }) { rig in
                    func wrapped(_ base: some StreamingTransport) -> any StreamingTransport {
                        Redirecting(base: CookieKeeping(base: base))
                    }
                    let layers = try wrapped(rig.streaming)
                    let response = try await layers.stream(rig.request(.get, "/here"))
                    try expect(response.head.redirects.map(\.status), is: [.found], "the redirects on the way")
                    try await expect(response.collect().body, is: Data("there".utf8))
                    _ = try await layers.stream(rig.request(.get, "/there")).collect()
                    try expect(rig.requests.last?.fields[.cookie], is: "a=1", "the cookie sent")
                }
            },
        ]
}

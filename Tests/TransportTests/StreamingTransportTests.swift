import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct StreamingTransportTests {
    // With a media type, because CFNetwork may delay the head of a response without one.
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n"

    /// The bytes of a body before its end or error.
    private func read(_ response: HTTPResponseStream) async -> (bytes: Data, error: TransportError?) {
        var bytes = Data()
        do {
            for try await chunk in response.body { bytes += chunk }
            return (bytes, nil)
        } catch {
            return (bytes, error as? TransportError)
        }
    }

    @Test(.enabled(if: EngineKind.current == .libcurl, "CFNetwork reports a head with the first byte of its body"))
    func `the head arrives before the body, and each chunk when it is sent`() async throws {
        let gates = [Gate(), Gate(), Gate()]
        let script: ServerScript = [
            .send(Self.head), .wait(for: gates[0]), .send("123"), .wait(for: gates[1]), .send("4567"),
            .wait(for: gates[2]), .send("890"),
        ]
        try await withServer(script: { _ in script }) { server, transport in
            let log = EventLog()
            let response = try await transport.stream(server.request(limit: 1), observer: log)
            #expect(response.status == .ok && response.fields[.contentLength] == "10")
            var chunks = response.body.makeAsyncIterator()
            for (gate, (text, count)) in zip(gates, [("123", 3), ("4567", 7), ("890", 10)] as [(String, Int64)]) {
                gate.open()
                #expect(try await chunks.next() == Data(text.utf8))
                // Pending events are coalesced, so wait for this one before the next chunk.
                try await log.wait { $0.last == .receivedBytes(count, total: 10) }
            }
            #expect(try await chunks.next() == nil)
            #expect(log.events == [.head(response.head)] + [3, 7, 10].map { .receivedBytes($0, total: 10) })
            // The connection is available again.
            #expect(try await transport.stream(server.request()).collect().body.count == 10)
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [0, 1, 100_000, 9 << 20], ["length", "chunks", "close"])
    func `streams bodies of every framing and size`(size: Int, framing: String) async throws {
        let source = bytes(size)
        let service = ClosureService { request in
            let fields: KeyValuePairs<String, String> =
                switch framing {
                case "chunks": ["Transfer-Encoding": "chunked"]
                case "close": ["Connection": "close"]
                default: [:]
                }
            return request.response(fields: try HTTPFields(fields), body: source)
        }
        try await withServer(service: service) { server, transport in
            let response = try await transport.stream(server.request())
            let (bytes, error) = await read(response)
            #expect(error == nil && bytes == source)
        }
    }

    @Test(arguments: [(HTTPMethod.head, 200), (.get, 204), (.get, 304)])
    func `responses without a body end at once`(method: HTTPMethod, status: Int) async throws {
        let service = ClosureService { request in
            request.response(HTTPStatus(status) ?? .ok, body: Data("not sent".utf8))
        }
        try await withServer(service: service) { server, transport in
            let response = try await transport.stream(server.request(method))
            #expect(response.status.code == status)
            #expect(try await response.collect().body.isEmpty)
        }
    }

    @Test(arguments: [false, true]) func `streams the echo of an uploaded body`(isStream: Bool) async throws {
        try await withServer { server, transport in
            let source = bytes(3 << 20)
            let body = isStream ? HTTPBody.stream(stream([source.prefix(7), source.dropFirst(7)])) : .bytes(source)
            let log = EventLog()
            let response = try await transport.stream(server.request(.post, body: body), observer: log)
            #expect(try await response.collect().body == source)
            #expect(log.events.last == .receivedBytes(3 << 20, total: 3 << 20))
        }
    }

    @Test(arguments: [false, true])
    func `a slow reader gets all bytes, from an unlinked file`(isDrained: Bool) async throws {
        let folder = try TemporaryFolder()
        let source = bytes(24 << 20)
        try await LoopbackServer.serving(ClosureService { $0.response(body: source) }) { server in
            let configuration = URLSessionTransport.Configuration(
                temporaryDirectory: folder.url, streamBufferBytes: isDrained ? 1 << 20 : -1)
            let transport = URLSessionTransport(configuration: configuration, clock: ManualClock())
            let log = EventLog()
            let response = try await transport.stream(server.request(), observer: log)
            #if os(Linux)
                // All bytes arrive without a reader: neither the server nor other requests wait. Elsewhere a full
                // buffer suspends the transfer.
                try await log.wait { $0.last == .receivedBytes(24 << 20, total: 24 << 20) }
                #expect(try filesWithoutName(in: folder) == 1)
            #endif
            #expect(try folder.names.isEmpty)
            if isDrained {
                let (bytes, error) = await read(response)
                #expect(error == nil && bytes == source)
            } else {
                for try await _ in response.body { break }
            }
            #if os(Linux)
                // The thread that wrote the last bytes may still hold it.
                try await eventually("the file is closed") { try filesWithoutName(in: folder) == 0 }
            #endif
        }
    }

    #if os(Linux)
        /// The number of open, unlinked files of a folder in this process.
        private func filesWithoutName(in folder: TemporaryFolder) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                else { return false }
                return path.hasPrefix(folder.url.path) && path.hasSuffix("(deleted)")
            }
        }

        @Test(.needsSmallDisk) func `a full disk is an error, after the bytes before it`()
            async throws
        {
            let disk = try SmallDisk(megabytes: 2)
            let source = bytes(24 << 20)
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(source.count + 1)\r\n\r\n"
            let script: ServerScript = [.send(Data(head.utf8) + source), .stall]
            try await LoopbackServer(script: { _ in script }).stopping(after: { server in
                let transport = URLSessionTransport(
                    configuration: .init(temporaryDirectory: disk.folder.url), clock: ManualClock())
                let response = try await transport.stream(server.request())
                try await server.waitForOpenConnections(0)
                let (bytes, error) = await read(response)
                #expect(error?.code == .temporaryStorage && error?.underlying is POSIXError)
                #expect(bytes.count > 2 << 20 && bytes == source.prefix(bytes.count))
                // The disk space is free again: as many bytes fit as before, to a megabyte.
                let next = try await transport.stream(server.request())
                try await server.waitForOpenConnections(0)
                let again = await read(next)
                #expect(again.error?.code == .temporaryStorage && again.bytes.count > bytes.count - (1 << 20))
            })
        }
    #endif

    @Test(arguments: ["break", "drop", "cancel", "throw"])
    func `abandoning the body ends the transfer at once`(way: String) async throws {
        try await withServer(script: { _ in [.send(Self.head + "12345"), .stall] }) { server, transport in
            let isReading = Gate()
            let task = Task { [request = try server.request()] in
                var response: HTTPResponseStream? = try await transport.stream(request)
                switch way {
                case "drop": response = nil
                case "throw":
                    for try await _ in try #require(response).body { throw CancellationError() }
                default:
                    for try await chunk in try #require(response).body {
                        #expect(chunk == Data("12345".utf8))
                        if way == "break" { break }
                        isReading.open()
                    }
                }
                // The connection closes while the response is still retained.
                try await server.waitForOpenConnections(0)
                withExtendedLifetime(response) {}
            }
            if way == "cancel" {
                try await isReading.wait()
                task.cancel()
            }
            switch (way, await task.result) {
            case ("break", .success), ("drop", .success): break
            case ("cancel", .failure(let error as TransportError)): #expect(error.code == .cancelled)
            case ("throw", .failure(let error)): #expect(error is CancellationError)
            case (_, let result): Issue.record("\(result)")
            }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test(arguments: ["close", "reset", "chunks"])
    func `a truncated body delivers its bytes, then the error`(way: String) async throws {
        let script: ServerScript =
            switch way {
            case "close": [.send(Self.head + "12345"), .close]
            case "reset": [.send(Self.head + "12345"), .wait(for: readGate), .reset]
            default:
                [
                    .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"),
                    .send("5\r\n12345\r\n"), .close,
                ]
            }
        try await withServer(script: { _ in script }) { server, transport in
            let response = try await transport.stream(server.request())
            var chunks = response.body.makeAsyncIterator()
            #expect(try await chunks.next() == Data("12345".utf8))
            readGate.open()
            let error = try await transportError { try await chunks.next() }
            #expect([.truncated, .connectionLost].contains(error.code) && error.head == response.head)
            #expect(try await chunks.next() == nil)
        }
    }
    private let readGate = Gate()

    @Test func `a failure before the head is thrown by the call`() async throws {
        try await withServer(script: { _ in [.close] }) { server, transport in
            let error = try await transportError { try await transport.stream(server.request()) }
            #expect(error.code == .connectionLost && error.head == nil)
        }
        let reserved = try HTTPRequest(.get, "http://host/", fields: HTTPFields(["Host": "other"]))
        let error = try await transportError { try await URLSessionTransport.shared.stream(reserved) }
        #expect(error.code == .reservedField)
    }

    @Test func `the idle timeout depends on the network, not on the reader`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let script: ServerScript = [.send(Self.head + "12345"), .wait(for: gate), .send("67"), .stall]
        try await LoopbackServer(script: { _ in script }).stopping(after: { server in
            let transport = URLSessionTransport(clock: clock)
            let log = EventLog()
            let timeouts = Timeouts(idle: .seconds(5))
            let response = try await transport.stream(server.request(timeouts: timeouts), observer: log)
            try await log.wait { $0.last == .receivedBytes(5, total: 10) }
            await clock.advance(by: .seconds(4))
            gate.open()
            try await log.wait { $0.last == .receivedBytes(7, total: 10) }
            // Nothing is read yet, and the idle deadline after the first five bytes has passed.
            await clock.advance(by: .seconds(4))
            var chunks = response.body.makeAsyncIterator()
            // One chunk, or two if the reader comes before the second.
            var read = Data()
            while read.count < 7, let chunk = try await chunks.next() { read += chunk }
            #expect(read == Data("1234567".utf8))
            try await clock.wait { $0.first?.offset == .seconds(9) }
            await clock.advance(by: .seconds(1))
            let error = try await transportError { try await chunks.next() }
            #expect(error.code == .timedOut && error.phase == .idle)
            try await server.waitForOpenConnections(0)
        })
    }

    @Test func `the total timeout ends a stream, unless it has arrived completely`() async throws {
        let clock = ManualClock()
        let scripts: [ServerScript] = [[.send(Self.head + "12345"), .stall], [.send(Self.head + "1234567890")]]
        try await LoopbackServer(script: { scripts[$0.number] }).stopping(after: { server in
            let transport = URLSessionTransport(clock: clock)
            let logs = [EventLog(), EventLog()]
            var responses: [HTTPResponseStream] = []
            for log in logs {
                let timeouts = Timeouts(response: nil, idle: nil, total: .seconds(2))
                responses.append(try await transport.stream(server.request(timeouts: timeouts), observer: log))
            }
            try await logs[0].wait { $0.last == .receivedBytes(5, total: 10) }
            try await logs[1].wait { $0.last == .receivedBytes(10, total: 10) }
            try await clock.wait { $0.map(\.offset) == [.seconds(2)] }
            await clock.advance(by: .seconds(2))
            let (bytes, error) = await read(responses[0])
            #expect(bytes == Data("12345".utf8) && error?.phase == .total)
            await clock.advance(by: .seconds(100))
            #expect(try await responses[1].collect().body == Data("1234567890".utf8))
        })
    }

    @Test(.needsAllSlots)
    func `a reader continues while all threads of the cooperative pool are blocked`() async throws {
        let source = bytes(4 << 20)
        try await withServer(service: ClosureService { $0.response(body: source) }) { server, transport in
            let folder = try TemporaryFolder()
            let done = DispatchSemaphore(value: 0)
            let caller = Task(executorPreference: WorkerThreads(count: 1, name: "caller")) {
                defer { for _ in 0..<64 { done.signal() } }
                let response = try await transport.stream(server.request())
                let streamed = try await response.collect().body
                let file = folder.url.appending(path: "file")
                try await transport.download(server.request(), to: file)
                return (streamed, try Data(contentsOf: file))
            }
            await withTaskGroup(of: DispatchTimeoutResult.self) { group in
                for _ in 0..<64 { group.addTask { blockingWait(for: done) } }
                for await result in group { #expect(result == .success) }
            }
            let (streamed, file) = try await caller.value
            #expect(streamed == source && file == source)
        }
    }

    @Test(arguments: [false, true])
    func `a download resumes over a new transport after a connection loss`(changes: Bool) async throws {
        let folder = try TemporaryFolder()
        let shelf = FileShelf(bytes(3 << 20))
        let part = try await shelf.respond(to: HTTPRequest(.get, "http://h/")).body.prefix(1 << 20)
        let start = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: \(3 << 20)\r\n\r\n"
        let arrived = Gate()
        let server = try LoopbackServer(script: { request in
            request.number == 0
                ? [.send(Data(start.utf8) + part), .wait(for: arrived), .reset] : [.respond(with: shelf)]
        })
        try await server.stopping(after: { server in
            let file = folder.url.appending(path: "file")
            let options = DownloadOptions(resumes: true)
            let firstLog = EventLog()
            let first = Task {
                try await URLSessionTransport(clock: ManualClock()).download(
                    server.request(), to: file, options: options, observer: firstLog)
            }
            // Received bytes are written to the file, also when the connection is lost before that.
            let received = Int64(part.count)
            try await firstLog.wait { $0.last == .receivedBytes(received, total: 3 * received) }
            arrived.open()
            let error = try await transportError { try await first.value }
            #expect([.truncated, .connectionLost].contains(error.code))
            if changes { shelf.replace(with: bytes(2 << 20, seed: 9)) }
            let log = EventLog()
            let result = try await URLSessionTransport(clock: ManualClock()).download(
                server.request(), to: file, options: options, observer: log)
            let content = changes ? bytes(2 << 20, seed: 9) : bytes(3 << 20)
            #expect(try Data(contentsOf: file) == content && folder.names == ["file"])
            #expect(result.resumedBytes == (changes ? 0 : 1 << 20))
            #expect(server.requests[1].fields[.range] == "bytes=\(1 << 20)-")
            #expect(log.events.last == .receivedBytes(Int64(content.count), total: Int64(content.count)))
        })
    }
}

import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot) struct RequestBodyUploadTests {
    private static let text = Data("abc".utf8)
    private static let part = HTTPBody.text("abc")

    @Test
    func `bytes and whole files are sent directly, small parts joined, all others spooled`() throws {
        let large = HTTPBody.bytes(Data(count: 65_535))
        let file = try TemporaryFile(Self.text)
        let whole = try HTTPBody.file(at: file.url)
        let table: [(HTTPBody, RequestBodyUpload)] = [
            (.empty, .none),
            (Self.part, .bytes(Self.text)),
            (.bytes(Data()), .bytes(Data())),
            (large, .bytes(Data(count: 65_535))),
            (.sequence([]), .bytes(Data())),
            (.sequence([Self.part, .empty, .sequence([Self.part])]), .bytes(Self.text + Self.text)),
            (.sequence([large, .text("1")]), .bytes(Data(count: 65_535) + Data("1".utf8))),
            (.sequence([large, .text("12")]), .spool),
            (.sequence([Self.part, whole]), .spool),
            (.sequence([Self.part, ClosureReader.pieces([], length: 1)]), .spool),
            (.sequence([Self.part, .stream(stream([]), length: 1)]), .spool),
            (ClosureReader.pieces([]), .spool),
            (ClosureReader.pieces([], length: 3), .spool),
            (ClosureReader.pieces([], length: 0), .bytes(Data())),
            (.stream(stream([])), .spool),
            (.stream(stream([]), length: 0), .spool),
            (whole, .file(file.url)),
            (try .file(at: file.url, range: 0..<3), .file(file.url)),
            (try .file(at: file.url, range: 0..<2), .spool),
            (try .file(at: file.url, range: 1..<3), .spool),
            (try .file(at: file.url, range: 3..<3), .bytes(Data())),
        ]
        for (body, upload) in table { #expect(RequestBodyUpload(body, for: .files) == upload, "\(body)") }
    }

    @Test(arguments: [(3, true), (2, false), (4, false), (0, false), (nil, false)] as [(Int64?, Bool)])
    func `a file is whole while its size equals the declared length`(now: Int64?, isWhole: Bool) throws {
        let file = try TemporaryFile(Self.text)
        let upload = RequestBodyUpload(try .file(at: file.url), for: .files) { $0 == file.url ? now : -1 }
        #expect(upload == (isWhole ? .file(file.url) : .spool))
    }

    #if !canImport(Darwin)
        @Test func `a body that can be read without blocking is a stream on Linux`() throws {
            let file = try TemporaryFile(Self.text)
            let table: [(HTTPBody, RequestBodyUpload)] = [
                (.empty, .none), (.bytes(Data()), .bytes(Data())), (Self.part, .stream),
                (.sequence([Self.part]), .stream), (try .file(at: file.url), .stream),
                (ClosureReader.pieces([]), .stream), (.stream(stream([])), .spool),
                (.sequence([Self.part, .stream(stream([]))]), .spool),
            ]
            for (body, upload) in table { #expect(RequestBodyUpload(body, for: .streams) == upload, "\(body)") }
        }
    #endif

    /// The bytes that an engine reads from a stream.
    private func read(_ stream: InputStream?) -> Data? {
        guard let stream else { return nil }
        stream.open()
        defer { stream.close() }
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 2))
        while case let count = stream.read(&buffer, maxLength: 2), count > 0 { data += buffer.prefix(count) }
        return data
    }

    @Test func `a body can be sent once more from a new stream of the system`() async throws {
        let file = try TemporaryFile(Self.text)
        let sent = try transfer(.post, .file(at: file.url))
        for _ in 0..<2 { #expect(read(sent.newSystemStream()) == Self.text) }
        #expect(read(try transfer(.post, Self.part).newSystemStream()) == Self.text)
        #expect(try transfer(.post, .empty).newSystemStream() == nil)
        let folder = try TemporaryFolder()
        let spooled = try transfer(.post, .stream(stream([Self.text])))
        spooled.spooled(try await RequestBodySpool(spooled.request.body, in: folder.url, for: .files))
        for _ in 0..<2 { #expect(read(spooled.newSystemStream()) == Self.text) }
        for transfer in [sent, spooled] { #expect(!transfer.isFinished) }
        // Neither bytes of another file nor fewer than declared are sent.
        try Data("ab".utf8).write(to: file.url)
        #expect(sent.newSystemStream() == nil && sent.isFinished)
        #expect(try await transportError { try await sent.outcome() }.code == .unreadableBody)
    }

    private func transfer(_ method: HTTPMethod = .post, _ body: HTTPBody = part) throws -> Transfer {
        let request = try HTTPRequest(method, "http://a/", body: body)
        return Transfer(request, timers: TimerQueue(AnyMonotonicClock(ManualClock())))
    }

    @Test func `bytes are in the request, a file is a stream with a length`() throws {
        let bytes = try URLRequest(transfer(), .bytes(Self.text))
        #expect(bytes.httpBody == Self.text && bytes.httpBodyStream == nil)
        let source = try TemporaryFile(Self.text)
        let file = try URLRequest(transfer(.post, .file(at: source.url)), .file(source.url))
        #expect(file.httpBody == nil && read(file.httpBodyStream) == Self.text)
        #if !canImport(Darwin)
            // CFNetwork would call abstract methods of a class of ours.
            #expect(!(file.httpBodyStream is RequestBodyStream))
        #endif
        #expect(file.value(forHTTPHeaderField: "Content-Length") == "3")
        #expect(file.value(forHTTPHeaderField: "Content-Type") == "application/octet-stream")
    }

    @Test func `a body that cannot be opened is an error, and the transfer is left to the engine`() throws {
        let changed = try transfer()
        #expect(#expect(throws: TransportError.self) { try URLRequest(changed, .spool) }?.code == .unreadableBody)
        #expect(!changed.isFinished)
        #if !canImport(Darwin)
            let broken = try transfer(.put, .generated { throw URLError(.cannotOpenFile) })
            let error = #expect(throws: TransportError.self) { try URLRequest(broken, .stream) }
            #expect(error?.code == .unreadableBody && error?.underlying is URLError)
            #expect(error?.request == "PUT http://a/" && !broken.isFinished)
        #endif
    }

    @Test func `a spool file is retained until its task has completed`() throws {
        let folder = try TemporaryFolder()
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let delegate = SessionDelegate(queue: DispatchQueue(label: "test"))
        let task = session.dataTask(with: URLRequest(url: echoURL))
        do {
            let transfer = try transfer()
            delegate.register(
                transfer, for: task.taskIdentifier, keeping: try ScratchFile(in: folder.url, isNamed: true))
            transfer.cancel()
        }
        #expect(try folder.names.count == 1)
        delegate.urlSession(session, task: task, didCompleteWithError: nil)
        #expect(try folder.names.isEmpty)
    }

    #if !canImport(Darwin)
        @Test(arguments: [true, false])
        func `a new body stream is returned only for a request with a stream`(hadOne: Bool) throws {
            let session = URLSession(configuration: .ephemeral)
            defer { session.invalidateAndCancel() }
            let delegate = SessionDelegate(queue: DispatchQueue(label: "test"))
            let transfer = try transfer(.put)
            let request = try URLRequest(transfer, hadOne ? .stream : .bytes(Self.text))
            let task = session.dataTask(with: request)
            delegate.register(transfer, for: task.taskIdentifier)
            let gaveOne = Mutex<Bool?>(nil)
            delegate.urlSession(session, task: task) { stream in gaveOne.withLock { $0 = stream != nil } }
            #expect(gaveOne.withLock { $0 } == hadOne && transfer.isFinished == !hadOne)
        }
    #endif

    @Test func `a file that changes while the request waits for a slot fails it`() async throws {
        let gate = Gate()
        try await LoopbackServer(script: { _ in [.wait(for: gate), .respond(with: echo)] }).stopping(after: { server in
            let transport = URLSessionTransport(
                configuration: .init(maximumConnectionsPerOrigin: 1), clock: ManualClock(), support: .files)
            let file = try TemporaryFile(bytes(1000))
            let first = Task { [request = try server.request()] in try await transport.send(request) }
            try await server.requests(count: 1)
            let upload = try server.request(.put, body: .file(at: file.url))
            let second = Task { try await transport.send(upload) }
            // Refused whether it waits for a slot already or not.
            try bytes(10).write(to: file.url)
            gate.open()
            #expect(try await first.value.status == .ok)
            #expect(try await transportError { try await second.value }.code == .unreadableBody)
            #expect(server.requestCount == 1)
            #expect(try await transport.send(server.request()).status == .ok)
        })
    }

    @Test func `spool files are deleted and the caller's files kept, for every outcome`() async throws {
        let folder = try TemporaryFolder()
        let file = try TemporaryFile(bytes(200_000))
        try await LoopbackServer.serving(echo) { server in
            let ledger = CompletionLedger<HTTPResponse>()
            let transport = URLSessionTransport(
                configuration: .init(maximumConnectionsPerOrigin: 4, temporaryDirectory: folder.url),
                clock: ManualClock(), support: .files)
            var generator = SeededGenerator(seed: 7)
            for number in 0..<200 {
                let call = ledger.call("\(number)")
                let body: HTTPBody =
                    switch number % 4 {
                    case 0: try .file(at: file.url)
                    case 1: ClosureReader.pieces([bytes(50_000), bytes(50_000)])
                    case 2: .stream(stream([bytes(100_000)]))
                    default: try .file(at: file.url, range: 1..<100_000)
                    }
                let request = try server.request(.put, body: body)
                let task = Task { await call.run { try await transport.send(request) } }
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: task.cancel()
                case 1:
                    for _ in 0..<Int.random(in: 0..<200, using: &generator) { await Task.yield() }
                    task.cancel()
                case 2: await task.value
                default: break
                }
            }
            try await ledger.waitForAll()
            try ledger.check()
            for case .failure(let error) in try await ledger.waitForAll() {
                #expect((error as? TransportError)?.code == .cancelled, "\(error)")
            }
        }
        try await folder.waitUntilEmpty()
        #expect(try Data(contentsOf: file.url) == bytes(200_000))
    }

    @Test func `a response before the end of a file upload is returned`() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(connections: { connection in
            guard try connection.receiveRequest(readsBody: false) != nil else { return }
            try connection.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
            connection.stall()
        })
        try await server.stopping(after: { server in
            let transport = URLSessionTransport(
                configuration: .init(temporaryDirectory: folder.url), clock: ManualClock(), support: .files)
            let body = ClosureReader.pieces(Array(repeating: Data(count: 65_536), count: 256))
            let response = try await transport.send(server.request(.put, body: body))
            #expect(response.status == .contentTooLarge && response.body == Data("no".utf8))
        })
        try await folder.waitUntilEmpty()
    }
}

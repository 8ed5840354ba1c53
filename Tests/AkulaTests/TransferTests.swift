import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct TransferTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appending(path: "file") }

    init() throws { folder = try TemporaryFolder() }

    /// Runs `body` with a server agent over the network.
    private func run(
        _ script: @escaping @Sendable (RecordedRequest) -> ServerScript,
        _ body: (AKServerAgent, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer(script: script).stopping { server in
            let agent = AKServerAgent(
                transport: TestTransport.withoutDeadlines.redirecting(.akula),
                scope: try AKAppScope("http://127.0.0.1:\(server.port)/app"))
            agent.delivery = .inline
            try await body(agent, server)
        }
    }

    private static func service(
        _ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) -> ServerScript {
        [.respond(with: ClosureService(respond))]
    }

    private static let half: ServerScript.Step = .send(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\nhalf")
    private static let notFound = #"{"transaction":"t1","code":404,"description":"No such endpoint"}"#

    // MARK: Observers

    @Test(arguments: Verb.allCases)
    func `every verb reports its progress: async, decoded and with a closure`(verb: Verb) async throws {
        let agent = HTTPAgent(transport: ServiceTransport { $0.response(json: ["id": 7]) })
        agent.delivery = .inline
        let data = AKHTTPRequestData()
        if verb == .post || verb == .put { data.bodyData = AKTextHTTPBody(string: "raw") }
        let (plain, decoded, closure) = (EventRecorder(), EventRecorder(), EventRecorder())
        let url = "http://akula.test/x"
        switch verb {
        case .get:
            try await agent.get(url, requestData: data, observer: plain)
            _ = try await agent.get(url, requestData: data, observer: decoded, as: .jsonValue)
            await agent.get(url, requestData: data, observer: closure) { _ in }.wait()
        case .post:
            try await agent.post(url, requestData: data, observer: plain)
            _ = try await agent.post(url, requestData: data, observer: decoded, as: .jsonValue)
            await agent.post(url, requestData: data, observer: closure) { _ in }.wait()
        case .put:
            try await agent.put(url, requestData: data, observer: plain)
            _ = try await agent.put(url, requestData: data, observer: decoded, as: .jsonValue)
            await agent.put(url, requestData: data, observer: closure) { _ in }.wait()
        case .delete:
            try await agent.delete(url, requestData: data, observer: plain)
            _ = try await agent.delete(url, requestData: data, observer: decoded, as: .jsonValue)
            await agent.delete(url, requestData: data, observer: closure) { _ in }.wait()
        }
        for recorder in [plain, decoded, closure] {
            let progress = recorder.events.compactMap(TransferProgress.init)
            #expect(progress.last?.direction == .download && progress.last?.fraction == 1)
            #expect((progress.first?.direction == .upload) == (verb == .post || verb == .put))
        }
    }

    // MARK: Streams

    @Test func `a stream delivers its head and its chunks while they arrive`() async throws {
        let gate = Gate()
        try await run { _ in
            [Self.half, .wait(for: gate), .send("full")]
        } _: { agent, server in
            agent.scope.begin(AKSession(token: "t"))
            let recorder = EventRecorder()
            let response = try await agent.stream(.get, "/big", observer: recorder)
            #expect(response.status == .ok)
            var chunks = response.body.makeAsyncIterator()
            try await #expect(chunks.next() == Data("half".utf8))
            gate.open()
            try await #expect(chunks.next() == Data("full".utf8))
            try await #expect(chunks.next() == nil)
            try await recorder.wait { $0.contains(.receivedBytes(8, total: 8)) }
            let received = try #require(server.requests.first)
            #expect(received.target == "/app/big" && received.fields["X-Ak-Session-Id"] == "t")
        }
    }

    @Test func `a status of 300 or more is an error with the server's text`() async throws {
        try await run { _ in
            Self.service { $0.response(.notFound, body: Data(Self.notFound.utf8)) }
        } _: { agent, _ in
            let error = await #expect(throws: AKError.self) { try await agent.stream(.post, "/big") }
            #expect(error?.code == .status && error?.statusCode == 404)
            #expect(error?.serverError?.text == "No such endpoint")
        }
    }

    @Test func `of the body of an error only the first 64 KiB are read`() async throws {
        let agent = HTTPAgent(
            transport: ServiceTransport { $0.response(.badGateway, body: Data(repeating: 1, count: 200_000)) })
        let error = await #expect(throws: AKError.self) { try await agent.stream(.get, "http://akula.test/") }
        #expect(error?.response?.data.count == 64 << 10)
    }

    @Test func `a 401 drops the session, in streams and downloads`() async throws {
        try await run { _ in
            Self.service { $0.response(.unauthorized) }
        } _: { agent, _ in
            agent.scope.begin(AKSession(token: "t"))
            await #expect(throws: AKError.self) { try await agent.stream(.get, "/big") }
            #expect(agent.scope.session == nil)
            agent.scope.begin(AKSession(token: "t"))
            await #expect(throws: AKError.self) { try await agent.download("/big", to: file) }
            #expect(agent.scope.session == nil)
        }
    }

    @Test func `an error of the body is an AKError`() async throws {
        try await run { _ in
            [Self.half, .close]
        } _: { agent, _ in
            let response = try await agent.stream(.get, "/big")
            let error = await #expect(throws: AKError.self) { try await response.collect() }
            #expect(error?.code == .transport && (error?.underlying as? TransportError)?.code == .truncated)
        }
    }

    @Test func `an invalid call is an error, and nothing is sent`() async throws {
        let agent = AKServerAgent(transport: unreachableTransport, scope: AKAppScope())
        let stream = await #expect(throws: AKError.self) { try await agent.stream(.get, "/big") }
        let download = await #expect(throws: AKError.self) { try await agent.download("/big", to: file) }
        #expect(stream?.code == .configuration && download?.code == .configuration)
    }

    // MARK: Downloads

    @Test func `a download writes a file, with progress`() async throws {
        try await run { _ in
            Self.service { $0.response(text: "file") }
        } _: { agent, server in
            let data = AKHTTPRequestData()
            data.addQueryParameter("size", value: "large")
            let recorder = EventRecorder()
            let downloaded = try await agent.download("/photo", to: file, requestData: data, observer: recorder)
            #expect(downloaded.byteCount == 4 && recorder.events.last == .receivedBytes(4, total: 4))
            try #expect(Data(contentsOf: file) == Data("file".utf8))
            #expect(server.requests.map(\.target) == ["/app/photo?size=large"])
        }
    }

    @Test func `a status of 300 or more is an error, and leaves no file`() async throws {
        try await run { _ in
            Self.service { $0.response(.notFound, body: Data(Self.notFound.utf8)) }
        } _: { agent, _ in
            let error = await #expect(throws: AKError.self) { try await agent.download("/photo", to: file) }
            #expect(error?.code == .status && error?.statusCode == 404)
            #expect(error?.serverError?.text == "No such endpoint")
            try #expect(folder.names == [])
        }
    }

    @Test func `a file that cannot be written is an error, and so is one over the size limit`()
        async throws
    {
        try await run { _ in
            Self.service { $0.response(text: "file") }
        } _: { agent, _ in
            let missing = folder.url.appending(path: "missing/file")
            let error = await #expect(throws: AKError.self) { try await agent.download("/photo", to: missing) }
            #expect(error?.code == .file && (error as NSError?)?.code == -7)
            #expect((error?.underlying as? DownloadError)?.code == .missingFolder)
            let small = await #expect(throws: AKError.self) {
                try await agent.download("/photo", to: file, downloadOptions: DownloadOptions(maximumBytes: 3))
            }
            #expect(small?.code == .transport && (small?.underlying as? DownloadError)?.code == .tooLarge)
        }
    }

    @Test func `an interrupted download is resumed`() async throws {
        let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 8\r\n\r\nhalf"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes 4-7/8\r\nContent-Length: 4\r\n\r\nfull"
        try await run {
            $0.number == 0 ? [.send(head), .close] : [.send(rest)]
        } _: { agent, server in
            let options = DownloadOptions(resumes: true)
            let error = await #expect(throws: AKError.self) {
                try await agent.download("/photo", to: file, downloadOptions: options)
            }
            #expect(error?.code == .transport)
            let downloaded = try await agent.download("/photo", to: file, downloadOptions: options)
            #expect(downloaded.resumedBytes == 4 && server.requests.last?.fields["Range"] == "bytes=4-")
            try #expect(Data(contentsOf: file) == Data("halffull".utf8))
        }
    }

    @Test(arguments: [("ann", 4), ("bob", 0)] as [(String, Int64)])
    func `a download is resumed by the same login only, also with its next token`(
        user: String, resumed: Int64
    ) async throws {
        let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 8\r\n\r\n"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes 4-7/8\r\nContent-Length: 4\r\n\r\nfull"
        try await run { received in
            guard received.target != "/app/auth/login" else {
                return Self.service { $0.response(json: ["token": JSONValue("t\(received.number)")]) }
            }
            if received.number == 1 { return [.send(head + "half"), .close] }
            return [.send(received.fields["Range"] == nil ? head + "all new!" : rest)]
        } _: { agent, server in
            let options = DownloadOptions(resumes: true)
            try await agent.login(principal: ["user": "ann"], secret: [:])
            await #expect(throws: AKError.self) {
                try await agent.download("/photo", to: file, downloadOptions: options)
            }
            try await agent.login(principal: ["user": JSONValue(user)], secret: [:])
            let downloaded = try await agent.download("/photo", to: file, downloadOptions: options)
            #expect(downloaded.resumedBytes == resumed && server.requestCount == 4)
            try #expect(Data(contentsOf: file) == Data((resumed == 0 ? "all new!" : "halffull").utf8))
        }
    }

    // MARK: Uploads

    @Test(arguments: [HTTPMethod.post, .put])
    func `a file is the body of a POST or PUT, with progress`(method: HTTPMethod) async throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try bytes.write(to: file)
        try await run { _ in
            Self.service { $0.response(text: "done") }
        } _: { agent, server in
            agent.requestData.bodyData = AKTextHTTPBody(string: "never sent")
            let recorder = EventRecorder()
            let response = try await agent.upload(method, "/photo", fromFile: file, observer: recorder)
            #expect(response.text == "done")
            let received = try #require(server.requests.first)
            #expect(received.method == method.name && received.body == bytes)
            #expect(received.fields[.contentType] == "application/octet-stream")
            #expect(recorder.events.contains(.sentBytes(200_000, total: 200_000)))
        }
    }

    @Test func `a missing file and a GET are invalid requests`() async throws {
        let agent = HTTPAgent(transport: unreachableTransport)
        let missing = await #expect(throws: AKError.self) {
            try await agent.upload(.post, "http://akula.test/", fromFile: file)
        }
        #expect(missing?.code == .invalidRequest)
        try Data("file".utf8).write(to: file)
        let get = await #expect(throws: AKError.self) {
            try await agent.upload(.get, "http://akula.test/", fromFile: file)
        }
        #expect(get?.code == .invalidRequest)
    }

    @Test func `an error of a layer keeps its message`() async throws {
        let agent = HTTPAgent(transport: FakeTransport { _ in throw DownloadError(.inUse, "The layer is busy.") })
        let error = await #expect(throws: AKError.self) { try await agent.get("http://akula.test/") }
        #expect(error?.code == .transport && error?.message == "The layer is busy.")
    }
}

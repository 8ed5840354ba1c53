import Delegation
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import ResponseDecoding
import SystemLibraries
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct HTTPManagerTransfersTests {
    private let folder: TemporaryFolder
    private let settings: ORASettingsStore
    private let lifecycle = ORAManualLifecycle()
    private var file: URL { folder.url.appending(path: "file") }

    init() throws {
        folder = try TemporaryFolder()
        settings = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
    }

    /// Runs `body` with a manager over the network, and the URL of a server.
    private func run(
        _ script: @escaping @Sendable (RecordedRequest) -> ServerScript,
        _ body: (HTTPManager<AnyTransport>, String, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer(script: script).stopping { server in
            let manager = HTTPManager(
                transport: TestTransport.withoutDeadlines, backoff: .exponential(base: .zero, cap: .zero),
                settings: settings, lifecycle: lifecycle)
            manager.delivery = .inline
            try await body(manager, "http://127.0.0.1:\(server.port)/x", server)
        }
    }

    private func get(_ url: String) -> ORARequest {
        let request = ORARequest(url: url)
        request.requestType = GET
        return request
    }

    private static func text(_ text: String, status: HTTPStatus = .ok) -> ServerScript {
        [.respond(with: ClosureService { $0.response(status, text: text) })]
    }

    private static let half: ServerScript.Step = .send(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\nhalf")

    // MARK: Observers

    @Test func `send reports its progress, decoded or not`() async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .json(["id": 7])))
        let request = ORARequest(url: "http://oracle.test/")
        request.requestBody = Data("raw".utf8)
        for isDecoded in [false, true] {
            let recorder = EventRecorder()
            if isDecoded {
                _ = try await fixture.manager.send(request, observer: recorder, as: .jsonValue)
            } else {
                _ = try await fixture.manager.send(request, observer: recorder)
            }
            let progress = recorder.events.compactMap(TransferProgress.init)
            #expect(progress.first { $0.direction == .upload }?.completed == 3)
            #expect(progress.last?.direction == .download && progress.last?.fraction == 1)
        }
    }

    @Test func `the observer of a request receives its progress, however it is added or sent`() async throws {
        try Data("raw".utf8).write(to: file)
        let fixture = try Fixture(ScriptedTransport([], then: .json(["id": 7])))
        let manager = fixture.manager
        // The vendor's methods have no observer, so references to them keep their type.
        typealias Add = (ORARequest, @escaping (ORAResponse) -> Void) -> ORACall
        let added: Add = manager.addRequest(_:completionHandler:)
        let imported: Add = manager.add(_:completionHandler:)
        let download = folder.url.appending(path: "download")
        let forms: [(ORARequest) async throws -> Void] = [
            { await added($0) { _ in }.wait() },
            { await imported($0) { _ in }.wait() },
            { await manager.addRequest($0) },
            { await manager.add($0) },
            { _ = try await manager.send($0) },
            { _ = try await manager.send($0, as: .jsonValue) },
            { try await manager.upload($0, fromFile: file) },
            { _ = try await manager.stream($0).collect() },
            { try await manager.download($0, to: download) },
        ]
        for form in forms {
            let recorder = EventRecorder()
            let request = ORARequest(url: "http://oracle.test/")
            request.requestBody = Data("raw".utf8)
            request.observer = recorder
            try await form(request)
            let progress = recorder.events.compactMap(TransferProgress.init)
            #expect(progress.first { $0.direction == .upload }?.completed == 3)
            #expect(progress.last?.direction == .download && progress.last?.fraction == 1)
        }
    }

    @Test func `an observer argument takes the place of the request's observer`() async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .status(.ok)))
        let (recorder, argument) = (EventRecorder(), EventRecorder())
        let request = ORARequest(url: "http://oracle.test/")
        request.observer = recorder
        _ = try await fixture.manager.send(request, observer: argument)
        #expect(recorder.events.isEmpty && !argument.events.isEmpty)
    }

    // MARK: Streams

    @Test func `a stream delivers its head and its chunks while they arrive`() async throws {
        let gate = Gate()
        try await run { _ in
            [Self.half, .wait(for: gate), .send("full")]
        } _: { manager, url, _ in
            let recorder = EventRecorder()
            let response = try await manager.stream(get(url), observer: recorder)
            #expect(response.status == .ok)
            var chunks = response.body.makeAsyncIterator()
            try await #expect(chunks.next() == Data("half".utf8))
            gate.open()
            try await #expect(chunks.next() == Data("full".utf8))
            try await #expect(chunks.next() == nil)
            try await recorder.wait { $0.contains(.receivedBytes(8, total: 8)) }
        }
    }

    @Test(arguments: [true, false])
    func `a stream holds its slot until its body ends or is released`(isRead: Bool) async throws {
        try await run { _ in
            Self.text("body")
        } _: { manager, url, server in
            var response: HTTPResponseStream? = try await manager.stream(get(url))
            let ledger = CompletionLedger<ORAResponse>()
            manager.addRequest(get(url), completionHandler: ledger.call("next").succeed)
            await manager.waitForSubmissions()
            #expect(manager.queue.waitingCount == 1 && manager.queue.runningCount == 1 && server.requestCount == 1)
            if isRead { try await #expect(response?.collect().body == Data("body".utf8)) }
            response = nil
            try await ledger.waitForAll()
            #expect(server.requestCount == 2)
        }
    }

    @Test func `in the background a task is held until the body's end`() async throws {
        ORACoreDataContainer(store: settings).putValue("true", forKey: ORAConfigHTTPBackgroundTaskEnabled())
        try await run { _ in
            Self.text("body")
        } _: { manager, url, _ in
            let response = try await manager.stream(get(url))
            lifecycle.enterBackground()
            #expect(lifecycle.backgroundTaskCount == 1)
            _ = try await response.collect()
            #expect(lifecycle.backgroundTaskCount == 0)
            await #expect(throws: ORAError.self) { try await manager.stream(get("ftp://h/")) }
            await #expect(throws: ORAError.self) { try await manager.download(get(url), to: folder.url) }
            #expect(lifecycle.backgroundTaskCount == 0)
        }
    }

    @Test func `a paused manager holds a task until the end of a body that is read`() async throws {
        try await run { _ in
            Self.text("body")
        } _: { manager, url, _ in
            let response = try await manager.stream(get(url))
            lifecycle.enterBackground()
            #expect(lifecycle.backgroundTaskCount == 1)
            _ = try await response.collect()
            #expect(lifecycle.backgroundTaskCount == 0)
        }
    }

    @Test func `a stream is retried until its head arrives, and after a 5xx; any status is a response`() async throws {
        try await run {
            $0.number == 0 ? [.reset] : Self.text("down", status: .serviceUnavailable)
        } _: {
            manager, url, server in
            let response = try await manager.stream(get(url))
            #expect(response.status == .serviceUnavailable && server.requestCount == 2)
        }
        try await run {
            Self.text("text", status: $0.number == 0 ? .serviceUnavailable : .ok)
        } _: {
            manager, url, server in
            let response = try await manager.stream(get(url))
            #expect(response.status == .ok && server.requestCount == 2)
        }
    }

    @Test func `an error of the head or the body is an ORAError`() async throws {
        try await run { _ in
            [Self.half, .close]
        } _: { manager, url, _ in
            let response = try await manager.stream(get(url))
            let error = await #expect(throws: ORAError.self) { try await response.collect() }
            #expect(error?.code == .transport && error?.errorCode == NSURLErrorNetworkConnectionLost)
            let refused = await #expect(throws: ORAError.self) {
                try await manager.stream(get(RefusedPort().url.absoluteString + "/x"))
            }
            #expect(refused?.errorCode == NSURLErrorCannotConnectToHost)
        }
    }

    // MARK: Downloads

    @Test func `a download writes a file, with progress, and waits for its slot`() async throws {
        try await run { _ in
            Self.text("file")
        } _: { manager, url, server in
            let stream = try await manager.stream(get(url))
            let recorder = EventRecorder()
            async let downloaded = manager.download(get(url), to: file, observer: recorder)
            // Polls, because a download is submitted on a thread for files, without an event.
            try await eventually("the download waits in the queue") { manager.queue.waitingCount == 1 }
            #expect(server.requestCount == 1)
            _ = try await stream.collect()
            try await #expect(downloaded.byteCount == 4)
            try #expect(Data(contentsOf: file) == Data("file".utf8))
            #expect(recorder.events.last == .receivedBytes(4, total: 4))
            #expect(manager.queue.runningCount == 0)
        }
    }

    @Test func `a status other than 2xx is an error, and leaves no file`() async throws {
        try await run { _ in
            Self.text("no file", status: .notFound)
        } _: { manager, url, _ in
            let error = await #expect(throws: ORAError.self) { try await manager.download(get(url), to: file) }
            #expect(error?.code == .status && error?.response?.status == .notFound)
            #expect(error?.message == "GET \(url): 404 Not Found: no file")
            try #expect(folder.names == [])
        }
    }

    @Test func `a file that cannot be written is an error, and so is one over the size limit`()
        async throws
    {
        try await run { _ in
            Self.text("file")
        } _: { manager, url, _ in
            let missing = folder.url.appending(path: "missing/file")
            let error = await #expect(throws: ORAError.self) { try await manager.download(get(url), to: missing) }
            #expect(error?.code == .file && error?.errorCode == NSURLErrorCannotWriteToFile)
            #expect((error?.underlying as? DownloadError)?.code == .missingFolder)
            let small = await #expect(throws: ORAError.self) {
                try await manager.download(get(url), to: file, downloadOptions: DownloadOptions(maximumBytes: 3))
            }
            #expect(small?.code == .transport && (small?.underlying as? DownloadError)?.code == .tooLarge)
            let post = await #expect(throws: ORAError.self) {
                try await manager.download(
                    ORARequest(url: url), to: file, downloadOptions: DownloadOptions(resumes: true))
            }
            #expect(post?.code == .invalidRequest)
        }
    }

    @Test(arguments: [("Bearer ann", 4), ("Bearer bob", 0)] as [(String, Int64)])
    func `a download is resumed with the same Authorization only`(credential: String, resumed: Int64) async throws {
        let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 8\r\n\r\n"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes 4-7/8\r\nContent-Length: 4\r\n\r\nfull"
        try await run { received in
            if received.number == 0 { return [.send(head + "half"), .close] }
            return [.send(received.fields["Range"] == nil ? head + "all new!" : rest)]
        } _: { manager, url, _ in
            let (request, options) = (get(url), DownloadOptions(resumes: true))
            request.headers = ["Authorization": "Bearer ann"]
            await #expect(throws: ORAError.self) {
                try await manager.download(request, to: file, downloadOptions: options)
            }
            request.headers = ["Authorization": credential]
            let downloaded = try await manager.download(request, to: file, downloadOptions: options)
            #expect(downloaded.resumedBytes == resumed)
            try #expect(Data(contentsOf: file) == Data((resumed == 0 ? "all new!" : "halffull").utf8))
        }
    }

    // MARK: Uploads

    @Test(arguments: [false, true])
    func `a file is the body of each attempt, with progress`(isCompressed: Bool) async throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try bytes.write(to: file)
        try await run {
            $0.number == 0 ? Self.text("", status: .badGateway) : Self.text("done")
        } _: {
            manager, url, server in
            let request = ORARequest(url: url)
            request.payload = ["never": "sent"]
            request.compression = isCompressed
            let recorder = EventRecorder()
            let response = try await manager.upload(request, fromFile: file, observer: recorder)
            #expect(response.body == Data("done".utf8) && server.requestCount == 2)
            for received in server.requests {
                try #expect((isCompressed ? Inflater.inflate(received.body) : received.body) == bytes)
                #expect(received.fields[.contentEncoding] == (isCompressed ? "gzip" : nil))
            }
            let total = isCompressed ? nil : Int64(bytes.count)
            let sent = recorder.events.compactMap(TransferProgress.init).filter { $0.direction == .upload }
            #expect(!sent.isEmpty && sent.last?.total == total)
        }
    }

    @Test func `a missing file and a GET are invalid requests`() async throws {
        try await run { _ in
            Self.text("done")
        } _: { manager, url, server in
            let missing = await #expect(throws: ORAError.self) {
                try await manager.upload(ORARequest(url: url), fromFile: file)
            }
            #expect(missing?.code == .invalidRequest)
            try Data("file".utf8).write(to: file)
            let refused = await #expect(throws: ORAError.self) { try await manager.upload(get(url), fromFile: file) }
            #expect(refused?.code == .invalidRequest && server.requestCount == 0)
        }
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct StreamingTransportDownloadTests {
    private static let content = bytes(100_000)
    private static let partials = ["file.patchbay-partial", "file.patchbay-record"]
    private let folder = try? TemporaryFolder()
    private let resuming = DownloadOptions(resumes: true)

    private var target: URL {
        get throws { try #require(folder).url.appending(path: "file") }
    }

    private var names: [String] {
        get throws { try #require(folder).names }
    }

    private func request() throws -> HTTPRequest { try HTTPRequest(.get, "http://h/file?key=secret") }

    private func downloadError(_ body: () async throws -> DownloadedFile) async throws -> DownloadError {
        let error = await #expect(throws: DownloadError.self) { _ = try await body() }
        return try #require(error)
    }

    @Test(arguments: [false, true]) func `downloads a complete file over an existing one`(resumes: Bool)
        async throws
    {
        try Data("old".utf8).write(to: target)
        let log = EventLog()
        let transport = ServiceTransport(FileShelf(Self.content))
        let file = try await transport.download(
            request(), to: target, options: DownloadOptions(resumes: resumes), observer: log)
        #expect(try Data(contentsOf: target) == Self.content && names == ["file"])
        #expect(try file.url == target && file.byteCount == 100_000 && file.resumedBytes == 0)
        #expect(file.head.status == .ok && log.events.last == .receivedBytes(100_000, total: 100_000))
    }

    @Test(arguments: [false, true]) func `downloads an empty file`(resumes: Bool) async throws {
        let file = try await ServiceTransport(FileShelf(Data())).download(
            request(), to: target, options: DownloadOptions(resumes: resumes))
        #expect(try Data(contentsOf: target).isEmpty && names == ["file"] && file.byteCount == 0)
    }

    @Test(arguments: [(HTTPMethod.get, 204), (.head, 200), (.head, 204)])
    func `a response without content makes an empty file`(method: HTTPMethod, status: Int) async throws {
        let service = ClosureService { request in
            request.response(try #require(HTTPStatus(status)), body: status == 200 ? Self.content : Data())
        }
        try await withServer(service: service) { server, transport in
            for options in [DownloadOptions(), resuming] where method == .get || !options.resumes {
                try Data("old".utf8).write(to: target)
                let file = try await transport.download(server.request(method), to: target, options: options)
                #expect(try Data(contentsOf: target).isEmpty && names == ["file"] && file.byteCount == 0)
                #expect(file.head.status.code == status)
            }
        }
    }

    @Test func `a partial file followed by no content makes an empty file`() async throws {
        await #expect(throws: TransportError.self) {
            try await Breaking(ServiceTransport(FileShelf(Self.content)), after: 40_000)
                .download(request(), to: target, options: resuming)
        }
        let file = try await ServiceTransport { $0.response(.noContent) }
            .download(request(), to: target, options: resuming)
        #expect(try Data(contentsOf: target).isEmpty && names == ["file"])
        #expect(file.byteCount == 0 && file.resumedBytes == 0)
    }

    @Test(arguments: [239, 240, 255])
    func `resumes files with names of any length`(count: Int) async throws {
        // Two names with a common prefix, of two-byte characters.
        let tails = ["x", "y"]
        let targets = try tails.map { tail in
            let name = String(repeating: "ä", count: count / 2) + (count.isMultiple(of: 2) ? "" : "a")
            return try #require(folder).url.appending(
                path: name.dropLast() + (count.isMultiple(of: 2) ? tail + "z" : tail))
        }
        let shelf = FileShelf(Self.content)
        for target in targets {
            #expect(target.lastPathComponent.utf8.count == count)
            await #expect(throws: TransportError.self) {
                try await Breaking(ServiceTransport(shelf), after: 40_000)
                    .download(request(), to: target, options: resuming)
            }
        }
        #expect(try names.count == 4)
        for target in targets {
            let file = try await ServiceTransport(shelf).download(request(), to: target, options: resuming)
            #expect(try Data(contentsOf: target) == Self.content && file.resumedBytes == 40_000)
        }
        #expect(try names == targets.map(\.lastPathComponent).sorted())
    }

    @Test func `an interrupted download leaves no file and keeps the target`() async throws {
        try Data("old".utf8).write(to: target)
        let transport = Breaking(ServiceTransport(FileShelf(Self.content)), after: 50_000)
        let error = try await transportError { try await transport.download(request(), to: target) }
        #expect(error.code == .connectionLost)
        #expect(try Data(contentsOf: target) == Data("old".utf8) && names == ["file"])
    }

    @Test(arguments: [1, 50_000, 100_000])
    func `an interrupted download resumes, as in another process`(after count: Int) async throws {
        let shelf = FileShelf(Self.content)
        await #expect(throws: TransportError.self) {
            try await Breaking(ServiceTransport(shelf), after: count).download(request(), to: target, options: resuming)
        }
        #expect(try names == Self.partials)
        let log = EventLog()
        let file = try await ServiceTransport(shelf).download(
            request(), to: target, options: resuming, observer: log)
        let resumed = Int64(min(count, 99_999))
        #expect(try Data(contentsOf: target) == Self.content && names == ["file"])
        #expect(file.head.status == .partialContent && file.resumedBytes == resumed && file.byteCount == 100_000)
        #expect(
            shelf.ranges == [nil, "bytes=\(resumed)-"] && log.events.last == .receivedBytes(100_000, total: 100_000))
    }

    @Test func `resumes after repeated interruptions`() async throws {
        let shelf = FileShelf(Self.content)
        let transport = Breaking(ServiceTransport(shelf), after: 30_000, 1, 0, 20_000)
        for _ in 0..<4 {
            await #expect(throws: TransportError.self) {
                try await transport.download(request(), to: target, options: resuming)
            }
        }
        let file = try await transport.download(request(), to: target, options: resuming)
        #expect(try Data(contentsOf: target) == Self.content && file.resumedBytes == 50_001)
    }

    @Test(arguments: FileShelf.Manner.allCases, [false, true])
    func `the file is correct for every server behavior`(manner: FileShelf.Manner, changes: Bool) async throws {
        let shelf = FileShelf(Self.content, manner: manner)
        await #expect(throws: TransportError.self) {
            try await Breaking(ServiceTransport(shelf), after: 40_000)
                .download(request(), to: target, options: resuming)
        }
        let isKept = manner != .weakTag && manner != .noTag
        #expect(try names == (isKept ? Self.partials : []))
        let content = changes ? bytes(90_000, seed: 2) : Self.content
        if changes { shelf.replace(with: content) }
        let file = try await ServiceTransport(shelf).download(request(), to: target, options: resuming)
        #expect(try Data(contentsOf: target) == content && names == ["file"] && file.byteCount == content.count)
        let goesOn = isKept && !changes && ![.ignoresRanges, .wrongRange, .unsatisfiable].contains(manner)
        #expect(file.resumedBytes == (goesOn ? 40_000 : 0))
    }

    @Test(arguments: 0..<5) func `does not resume partial files that do not match`(way: Int) async throws {
        let shelf = FileShelf(Self.content)
        await #expect(throws: TransportError.self) {
            try await Breaking(ServiceTransport(shelf), after: 40_000)
                .download(request(), to: target, options: resuming)
        }
        let partial = URL(filePath: try target.path + ".patchbay-partial")
        let record = URL(filePath: try target.path + ".patchbay-record")
        switch way {
        case 0: try FileManager.default.removeItem(at: record)
        case 1: try FileManager.default.removeItem(at: partial)
        case 2: try Data("{".utf8).write(to: record)
        case 3: try Data(count: 100_001).write(to: partial)
        default: try DownloadRecord(url: "http://h/other", entityTag: "\"1\"", length: 100_000).data.write(to: record)
        }
        let file = try await ServiceTransport(shelf).download(request(), to: target, options: resuming)
        #expect(try Data(contentsOf: target) == Self.content && names == ["file"] && file.resumedBytes == 0)
        #expect(shelf.ranges == [nil, nil])
    }

    @Test func `a status other than 2xx is an error and leaves no file`() async throws {
        let transport = FakeTransport { $0.response(.notFound, text: "no such thing") }
        let error = try await downloadError { try await transport.download(request(), to: target) }
        #expect(error.code == .unacceptableStatus && error.head?.status == .notFound)
        #expect(error.bodyPrefix == Data("no such thing".utf8) && !"\(error)".contains("secret"))
        #expect(try names.isEmpty)
    }

    @Test(arguments: [false, true], [false, true])
    func `a file over the limit leaves no file, declared or not`(isDeclared: Bool, resumes: Bool) async throws {
        let transport = FakeTransport { request in
            var fields = try HTTPFields(["ETag": "\"1\""])
            if isDeclared { try fields.set(.contentLength, to: "100000") }
            return request.response(fields: fields, body: Self.content)
        }
        let options = DownloadOptions(resumes: resumes, maximumBytes: 99_999)
        let error = try await downloadError {
            try await transport.download(request(), to: target, options: options)
        }
        #expect(error.code == .tooLarge && error.head?.status == .ok)
        #expect(try names.isEmpty)
        let fits = DownloadOptions(resumes: resumes, maximumBytes: 100_000)
        #expect(try await transport.download(request(), to: target, options: fits).byteCount == 100_000)
    }

    @Test func `invalid input sends no request`() async throws {
        let transport = FakeTransport { request in
            Issue.record("It was asked.")
            return request.response()
        }
        let folder = try target.deletingLastPathComponent()
        let error = try await downloadError { try await transport.download(request(), to: folder) }
        #expect(error.code == .invalidTarget)
        let other = try await downloadError {
            try await transport.download(
                HTTPRequest(.post, "http://h/", body: .text("x")), to: target, options: resuming)
        }
        #expect(other.code == .notResumable)
        #expect(try names.isEmpty)
    }

    @Test(arguments: [false, true])
    func `cancelling leaves a resumable file, or none`(resumes: Bool) async throws {
        struct Watcher: TransferObserver {
            let gate: Gate
            func transfer(didEmit event: TransferEvent) {
                guard case .receivedBytes(let count, _) = event, count > 30_000 else { return }
                gate.open()
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        let gate = Gate()
        let transport = ServiceTransport(FileShelf(Self.content))
        let options = DownloadOptions(resumes: resumes)
        let task = Task { [target = try target, request = try request()] in
            try await transport.download(request, to: target, options: options, observer: Watcher(gate: gate))
        }
        try await gate.wait()
        #expect(try await transportError { try await task.value }.code == .cancelled)
        #expect(try names == (resumes ? Self.partials : []))
    }

    @Test(arguments: [false, true]) func `concurrent downloads of one target do not mix`(resumes: Bool)
        async throws
    {
        let gate = Gate()
        let options = DownloadOptions(resumes: resumes)
        let first = ServiceTransport { request in
            try await gate.wait()
            return request.response(text: "first")
        }
        let task = Task { [target = try target, request = try request()] in
            try await first.download(request, to: target, options: options)
        }
        try await gate.waitForWaiters(1)
        let second = FakeTransport { $0.response(text: "second") }
        if resumes {
            let error = try await downloadError { try await second.download(request(), to: target, options: options) }
            #expect(error.code == .inUse)
        } else {
            try await second.download(request(), to: target, options: options)
            #expect(try Data(contentsOf: target) == Data("second".utf8))
        }
        gate.open()
        _ = try await task.value
        #expect(try Data(contentsOf: target) == Data("first".utf8) && names == ["file"])
    }

    @Test(
        .needsSmallDisk,
        arguments: [false, true])
    func `a full disk is an error; the partial file can be resumed if requested`(resumes: Bool) async throws {
        let disk = try SmallDisk(megabytes: 1)
        let content = bytes(3 << 20)
        let transport = ServiceTransport(FileShelf(content))
        let target = disk.folder.url.appending(path: "file")
        let options = DownloadOptions(resumes: resumes)
        let error = try await downloadError { try await transport.download(request(), to: target, options: options) }
        #expect(error.code == .diskFull)
        #expect(try disk.folder.names == (resumes ? Self.partials : []))
        #expect(!"\(error)".contains("secret") && !"\(error)".contains(disk.folder.url.path))
    }

    @Test func `a cancelled download does not replace a file, though the body of its transport just ends`() async throws
    {
        let (folder, started) = (try TemporaryFolder(), Gate())
        let target = folder.url.appending(path: "file")
        try Data("old".utf8).write(to: target)
        struct Ending: StreamingTransport {
            let started: Gate
            func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
                throw TransportError(.unsupported, "Only streams.", request: request)
            }
            func stream(
                _ request: HTTPRequest, observer: (any TransferObserver)?
            ) async throws -> HTTPResponseStream {
                let (body, continuation) = AsyncStream<Data>.makeStream()
                continuation.yield(Data("part".utf8))
                started.open()
                // It ends when its reader is cancelled, without an error.
                return HTTPResponseStream(head: HTTPResponseHead(status: .ok, url: request.url), body: body)
            }
        }
        let request = try HTTPRequest(.get, "http://example.com/file")
        let call = Task { try await Ending(started: started).download(request, to: target) }
        try await started.wait()
        call.cancel()
        let error = await #expect(throws: TransportError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(try Data(contentsOf: target) == Data("old".utf8) && folder.names == ["file"])
    }
}

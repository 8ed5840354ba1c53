import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct BackgroundTransfersTests {
    private static func head(_ status: HTTPStatus = .ok) throws -> HTTPResponseHead {
        HTTPResponseHead(status: status, url: try #require(URL(string: "https://h.test/film")))
    }

    private static func request() throws -> HTTPRequest { try HTTPRequest(.get, "https://h.test/film") }

    private static func first(_ transfers: BackgroundTransfers?) async throws -> BackgroundTransfer {
        var completions = try #require(transfers).completions.makeAsyncIterator()
        return try #require(await completions.next())
    }

    private static func reason(_ transfer: BackgroundTransfer) -> BackgroundTransferFailure.Reason? {
        if case .failed(let failure) = transfer.state { failure.reason } else { nil }
    }

    @Test(.disabled(if: EngineKind.current == .cfNetwork))
    func `14: a platform without background sessions says so, and makes no folder`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: TransportError.self) {
            try BackgroundTransfers(name: "films", folder: folder.url.appending(path: "records"))
        }
        #expect(error?.code == .unsupported)
        #expect(try folder.names.isEmpty)
        #expect(throws: TransportError.self) { try BackgroundTransfers(name: "") }
    }

    @Test func `14: a download completes once, also in later processes until it is acknowledged`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(Self.request(), to: world.file("film"), as: "film 7").id
        #expect(await world.transfers?.transfers.map(\.state) == [.running])
        let file = try world.delivered("content")
        world.session?.report(
            .progressed(id, completed: 3, total: 7), .received(id, try Self.head(), file),
            .completed(id, try Self.head(), nil))
        let completed = try await Self.first(world.transfers)
        #expect(try completed.state == .finished(Self.head()))
        #expect(completed.id == id && completed.name == "film 7")
        #expect(completed.progress == TransferProgress(.download, completed: 3, total: 7))
        #expect(world.text(world.file("film")) == "content")
        // Not acknowledged: the next process gets it too, also if the system reports the end again.
        try world.launch()
        world.session?.report(.received(id, try Self.head(), file), .completed(id, try Self.head(), nil))
        #expect(try await Self.first(world.transfers).state == completed.state)
        await world.transfers?.acknowledge(id)
        #expect(try await world.launch().transfers.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.records.path) == ["lock"])
    }

    @Test func `14: a process that is killed between the file and its completion loses neither`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(Self.request(), to: world.file("film")).id
        world.end()
        // The states in which a kill leaves record and file: before the file is moved, and after that.
        let record = try Self.store(.received(StoredHead(try Self.head())), in: world)
        try Data("content".utf8).write(to: record.stagingFile)
        #expect(try await Self.first(try world.launch()).state == .finished(Self.head()))
        #expect(world.text(world.file("film")) == "content" && id == record.id)
        world.end()
        _ = try Self.store(.received(StoredHead(try Self.head())), in: world)
        #expect(try await Self.first(try world.launch()).state == .finished(Self.head()))
        #expect(world.text(world.file("film")) == "content")
    }

    /// Changes the only record as a process does that is killed then.
    private static func store(
        _ phase: BackgroundTransferRecord.Phase, in world: BackgroundWorld
    ) throws -> BackgroundTransferRecord {
        let folder = try BackgroundTransferFolder(world.records)
        var record = try #require(folder.records().first)
        record.phase = phase
        try folder.store(record)
        return record
    }

    @Test func `14: an upload goes on in a later process`() async throws {
        let world = try BackgroundWorld()
        let source = try world.delivered("film")
        let request = try HTTPRequest(.put, "https://h.test/film", body: .file(at: source))
        let id = try await world.launch().upload(request, as: "up").id
        #expect(world.session?.started.value.map(\.source) == [source])
        #expect(try await world.launch(tasks: [id]).transfers.map(\.state) == [.running])
        world.session?.report(.completed(id, try Self.head(.created), nil))
        #expect(try await Self.first(world.transfers).state == .finished(Self.head(.created)))
    }

    @Test func `14: a transfer that the system has forgotten fails after a while`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(Self.request(), to: world.file("film")).id
        let transfers = try world.launch()
        try await world.clock.waitForSleepers(1)
        await world.clock.advance(by: BackgroundTransferEngine.patience)
        let completed = try await Self.first(transfers)
        #expect(completed.id == id && Self.reason(completed) == .lost)
    }

    @Test func `14: a cancelled transfer fails at once, and what the system still delivers is dropped`() async throws {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        let id = try await transfers.download(Self.request(), to: world.file("film")).id
        await transfers.cancel(id)
        #expect(world.session?.cancelled.value == [id])
        world.session?.report(.received(id, try Self.head(), try world.delivered("late")))
        #expect(Self.reason(try await Self.first(transfers)) == .cancelled)
        #expect(world.text(world.file("film")) == nil)
    }

    @Test func `14: a response that is no file leaves the target alone, and so does a target that is in the way`()
        async throws
    {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        try Data("old".utf8).write(to: world.file("film"))
        let refused = try await transfers.download(Self.request(), to: world.file("film")).id
        world.session?.report(.received(refused, try Self.head(.notFound), try world.delivered("error page")))
        let completed = try await Self.first(transfers)
        #expect(Self.reason(completed) == .response && world.text(world.file("film")) == "old")
        await transfers.acknowledge(refused)
        let blocked = try await transfers.download(Self.request(), to: world.file("other")).id
        try FileManager.default.createDirectory(at: world.file("other/x"), withIntermediateDirectories: true)
        world.session?.report(.received(blocked, try Self.head(), try world.delivered("content")))
        #expect(Self.reason(try await Self.first(transfers)) == .file)
        #expect(try !world.folder.names.contains { $0.hasPrefix(".patchbay") })
    }

    @Test func `14: the system's handler is called once, after the completions are stored`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(Self.request(), to: world.file("film")).id
        let transfers = try world.launch(tasks: [id])
        let calls = Watched(0)
        transfers.handleEvents { calls.update { $0 += 1 } }
        _ = await transfers.transfers
        let file = try world.delivered("content")
        world.session?.report(.received(id, try Self.head(), file), .eventsEnded, .eventsEnded)
        try await calls.wait { $0 == 1 }
        world.handlerQueue.sync {}
        #expect(calls.value == 1)
        #expect(try await Self.first(transfers).isComplete)
    }

    @Test func `14: nothing is sent with secrets, since the system follows redirects to any origin`() async throws {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        for field in ["Authorization", "Cookie", "X-Api-Key"] {
            var request = try Self.request()
            request.fields[field] = "s3cret"
            let error = await #expect(throws: TransportError.self) {
                try await transfers.download(request, to: world.file("film"))
            }
            #expect(error?.code == .unsupported && error?.description.contains("s3cret") == false)
        }
        var secret = try HTTPRequest(.post, "https://h.test/", body: .file(at: try world.delivered("password")))
        secret.options.hasSecretBody = true
        await #expect(throws: TransportError.self) { try await transfers.upload(secret) }
        #expect(world.session?.started.value.isEmpty == true)
        #expect(await transfers.transfers.isEmpty)
    }

    @Test func `14: what a background session cannot do is refused before anything is stored`() async throws {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        let bytes = try HTTPRequest(.put, "https://h.test/", body: .bytes(Data("x".utf8)))
        await #expect(throws: TransportError.self) { try await transfers.upload(bytes) }
        await #expect(throws: TransportError.self) { try await transfers.download(bytes, to: world.file("film")) }
        await #expect(throws: DownloadError.self) {
            try await transfers.download(Self.request(), to: world.file("missing/film"))
        }
        #expect(await transfers.transfers.isEmpty)
        let error = #expect(throws: TransportError.self) {
            try BackgroundTransfers(folder: world.records, clock: .continuous) { queue, receive in
                FakeBackgroundSession(tasks: [], queue: queue, receive)
            }
        }
        #expect(error?.code == .unsupported)
    }

    @Test func `14: readers of changes get the progress`() async throws {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        var changes = transfers.changes.makeAsyncIterator()
        #expect(await changes.next()?.isEmpty == true)
        let id = try await transfers.download(Self.request(), to: world.file("film")).id
        world.session?.report(.progressed(id, completed: 5, total: 9))
        var latest: BackgroundTransfer?
        while latest?.progress.completed != 5 { latest = await changes.next()?.first }
        #expect(latest?.progress.fraction == 5.0 / 9)
    }
}

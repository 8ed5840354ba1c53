import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct BackgroundTransfersTests {
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
        let id = try await world.launch().download(BackgroundWorld.request(), to: world.file("film"), as: "film 7").id
        #expect(await world.transfers?.transfers.map(\.state) == [.running])
        let file = try world.delivered("content")
        world.session?.report(
            .progressed(id, completed: 3, total: 7), .received(id, try BackgroundWorld.head(), file),
            .completed(id, try BackgroundWorld.head(), nil))
        let completed = try await BackgroundWorld.first(world.transfers)
        #expect(try completed.state == .finished(BackgroundWorld.head()))
        #expect(completed.id == id && completed.name == "film 7")
        #expect(completed.progress == TransferProgress(.download, completed: 3, total: 7))
        #expect(world.text(world.file("film")) == "content")
        // Not acknowledged: the next process gets it too, also if the system reports the end again.
        try world.launch()
        world.session?.report(
            .received(id, try BackgroundWorld.head(), file), .completed(id, try BackgroundWorld.head(), nil))
        #expect(try await BackgroundWorld.first(world.transfers).state == completed.state)
        await world.transfers?.acknowledge(id)
        #expect(try await world.launch().transfers.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.records.path) == ["lock"])
    }

    @Test func `14: an upload goes on in a later process`() async throws {
        let world = try BackgroundWorld()
        let source = try world.delivered("film")
        let request = try HTTPRequest(.put, "https://h.test/film", body: .file(at: source))
        let id = try await world.launch().upload(request, as: "up").id
        #expect(world.session?.started.value.map(\.source) == [source])
        #expect(try await world.launch(tasks: [id]).transfers.map(\.state) == [.running])
        world.session?.report(.completed(id, try BackgroundWorld.head(.created), nil))
        #expect(try await BackgroundWorld.first(world.transfers).state == .finished(BackgroundWorld.head(.created)))
    }

    @Test func `14: a transfer that the system has forgotten fails after a while`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(BackgroundWorld.request(), to: world.file("film")).id
        let transfers = try world.launch()
        try await world.clock.waitForSleepers(1)
        await world.clock.advance(by: BackgroundTransferEngine.patience)
        let completed = try await BackgroundWorld.first(transfers)
        #expect(completed.id == id && BackgroundWorld.reason(completed) == .lost)
    }

    @Test func `14: a cancelled transfer fails at once, and what the system still delivers is dropped`() async throws {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        let id = try await transfers.download(BackgroundWorld.request(), to: world.file("film")).id
        await transfers.cancel(id)
        #expect(world.session?.cancelled.value == [id])
        world.session?.report(.received(id, try BackgroundWorld.head(), try world.delivered("late")))
        #expect(BackgroundWorld.reason(try await BackgroundWorld.first(transfers)) == .cancelled)
        #expect(world.text(world.file("film")) == nil)
    }

    @Test func `14: a response that is no file leaves the target alone, and so does a target that is in the way`()
        async throws
    {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        try Data("old".utf8).write(to: world.file("film"))
        let refused = try await transfers.download(BackgroundWorld.request(), to: world.file("film")).id
        world.session?.report(
            .received(refused, try BackgroundWorld.head(.notFound), try world.delivered("error page")))
        let completed = try await BackgroundWorld.first(transfers)
        #expect(BackgroundWorld.reason(completed) == .response && world.text(world.file("film")) == "old")
        await transfers.acknowledge(refused)
        let blocked = try await transfers.download(BackgroundWorld.request(), to: world.file("other")).id
        try FileManager.default.createDirectory(at: world.file("other/x"), withIntermediateDirectories: true)
        world.session?.report(.received(blocked, try BackgroundWorld.head(), try world.delivered("content")))
        #expect(BackgroundWorld.reason(try await BackgroundWorld.first(transfers)) == .file)
        #expect(try !world.folder.names.contains { $0.hasPrefix(".patchbay") })
    }

    @Test func `14: the system's handler is called once, after the completions are stored`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(BackgroundWorld.request(), to: world.file("film")).id
        let transfers = try world.launch(tasks: [id])
        let calls = Watched(0)
        transfers.handleEvents { calls.update { $0 += 1 } }
        _ = await transfers.transfers
        let file = try world.delivered("content")
        world.session?.report(.received(id, try BackgroundWorld.head(), file), .eventsEnded, .eventsEnded)
        try await calls.wait { $0 == 1 }
        world.handlerQueue.sync {}
        #expect(calls.value == 1)
        #expect(try await BackgroundWorld.first(transfers).isComplete)
    }

    @Test func `14: nothing is sent with secrets, since the system follows redirects to any origin`() async throws {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        for field in ["Authorization", "Cookie", "X-Api-Key"] {
            var request = try BackgroundWorld.request()
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

    @Test func `14: names of secret fields are those of the app`() async throws {
        let folder = try TemporaryFolder()
        let transfers = try BackgroundTransfers(
            folder: folder.url.appending(path: "records"), clock: .continuous,
            secrets: Redaction(words: ["partner"])
        ) { queue, receive in FakeBackgroundSession(tasks: [], queue: queue, receive) }
        var request = try BackgroundWorld.request()
        request.fields["X-Partner"] = "7"
        await #expect(throws: TransportError.self) {
            try await transfers.download(request, to: folder.url.appending(path: "film"))
        }
    }

    @Test func `14: an upload whose file is gone is refused before the system gets it`() async throws {
        let folder = try TemporaryFolder()
        let session = Watched<FakeBackgroundSession?>(nil)
        let engine = try BackgroundTransferEngine(
            folder: BackgroundTransferFolder(folder.url.appending(path: "records")), clock: .continuous
        ) { queue, receive in
            let made = FakeBackgroundSession(tasks: [], queue: queue, receive)
            session.update { $0 = made }
            return made
        }
        let (request, source) = (try HTTPRequest(.put, "https://h.test/"), folder.url.appending(path: "missing"))
        let record = BackgroundTransferRecord(id: UUID(), name: "", isUpload: true, request: request, file: source)
        let error = await #expect(throws: TransportError.self) {
            try await engine.start(record, request, uploading: source)
        }
        #expect(error?.code == .unreadableBody)
        #expect(session.value?.started.value.isEmpty == true)
        #expect(await engine.transfers().isEmpty)
    }

    @Test func `14: a folder in a shared container is refused`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: TransportError.self) {
            try BackgroundTransferFolder(folder.url.appending(path: "Containers/Shared/AppGroup/7/records"))
        }
        #expect(error?.code == .unsupported)
        #expect(try folder.names.isEmpty)
    }

    @Test func `14: what a background session cannot do is refused before anything is stored`() async throws {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        let bytes = try HTTPRequest(.put, "https://h.test/", body: .bytes(Data("x".utf8)))
        await #expect(throws: TransportError.self) { try await transfers.upload(bytes) }
        await #expect(throws: TransportError.self) { try await transfers.download(bytes, to: world.file("film")) }
        await #expect(throws: DownloadError.self) {
            try await transfers.download(BackgroundWorld.request(), to: world.file("missing/film"))
        }
        var (redirects, timeout) = (try BackgroundWorld.request(), try BackgroundWorld.request())
        redirects.options.redirectPolicy = .sameOrigin
        timeout.options.timeouts.total = .seconds(5)
        for request in [redirects, timeout] {
            let error = await #expect(throws: TransportError.self) {
                try await transfers.download(request, to: world.file("film"))
            }
            #expect(error?.code == .unsupported)
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
        let id = try await transfers.download(BackgroundWorld.request(), to: world.file("film")).id
        world.session?.report(.progressed(id, completed: 5, total: 9))
        var latest: BackgroundTransfer?
        while latest?.progress.completed != 5 { latest = await changes.next()?.first }
        #expect(latest?.progress.fraction == 5.0 / 9)
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import TestSupport
import Testing

@testable import Transport

/// What a killed process, a full disk and records of another format leave.
@Suite(.needsSlot) struct BackgroundTransfersRecoveryTests {
    @Test func `14: a process that is killed between the file and its completion loses neither`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(BackgroundWorld.request(), to: world.file("film")).id
        world.end()
        // The states in which a kill leaves record and file: before the response is stored, before the file is moved,
        // and after that.
        let head = StoredHead(try BackgroundWorld.head(), .standard)
        let staging = try Self.record(in: world).stagingFile
        try Data("content".utf8).write(to: staging)
        let file = StoredFile(try FileStatus(at: staging.path))
        for phase in [.receiving(head, size: 7), .received(head, file), .received(head, file)]
            as [BackgroundTransferRecord.Phase]
        {
            let record = try Self.store(phase, in: world)
            #expect(
                try await BackgroundWorld.first(try world.launch()).state == .finished(BackgroundWorld.head()),
                "\(phase)")
            #expect(world.text(world.file("film")) == "content" && id == record.id)
            world.end()
            // The same file is beside its target again the next time, and at the target the last time.
            if case .receiving = phase { try FileManager.default.moveItem(at: world.file("film"), to: staging) }
        }
        #expect(try !world.folder.names.contains { $0.hasPrefix(".patchbay") })
    }

    @Test func `14: a part of a file that a killed process has left is not taken for the file`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(BackgroundWorld.request(), to: world.file("film")).id
        world.end()
        let record = try Self.store(.receiving(StoredHead(try BackgroundWorld.head(), .standard), size: 7), in: world)
        try Data("con".utf8).write(to: record.stagingFile)
        // The system delivers the file again.
        try world.launch(tasks: [id])
        #expect(await world.transfers?.transfers.map(\.state) == [.running])
        #expect(world.text(record.stagingFile) == nil)
        world.session?.report(.received(id, try BackgroundWorld.head(), try world.delivered("content")))
        #expect(try await BackgroundWorld.first(world.transfers).state == .finished(BackgroundWorld.head()))
        #expect(world.text(world.file("film")) == "content")
    }

    @Test func `14: an older file at the target is not taken for the download`() async throws {
        let world = try BackgroundWorld()
        try Data("last week".utf8).write(to: world.file("film"))
        _ = try await world.launch().download(BackgroundWorld.request(), to: world.file("film"))
        world.end()
        let file = StoredFile(try FileStatus(at: try world.delivered("content").path))
        _ = try Self.store(.received(StoredHead(try BackgroundWorld.head(), .standard), file), in: world)
        #expect(BackgroundWorld.reason(try await BackgroundWorld.first(try world.launch())) == .file)
        #expect(world.text(world.file("film")) == "last week")
    }

    @Test func `14: records that cannot be read stop nothing`() async throws {
        let world = try BackgroundWorld()
        let id = try await world.launch().download(BackgroundWorld.request(), to: world.file("film")).id
        world.end()
        let file = world.records.appending(path: "\(id.uuidString).json")
        let content = try Data(contentsOf: file)
        // A folder can be opened, and not be read.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let error = #expect(throws: TransportError.self) { try world.launch(tasks: [id]) }
        #expect(error?.code == .temporaryStorage && world.session == nil)
        // A record of a newer version.
        try FileManager.default.removeItem(at: file)
        try Data("{\"version\":2}".utf8).write(to: file)
        #expect(try await world.launch(tasks: [id]).transfers.isEmpty)
        #expect(world.session?.cancelled.value.isEmpty == true)
        world.end()
        #expect(world.text(file) == "{\"version\":2}")
        try content.write(to: file)
        #expect(try await world.launch(tasks: [id]).transfers.map(\.state) == [.running])
    }

    @Test func `14: a completion is announced once it is stored`() async throws {
        let world = try BackgroundWorld()
        let transfers = try world.launch()
        let id = try await transfers.download(BackgroundWorld.request(), to: world.file("film")).id
        // No record can be replaced.
        let blocked = world.records.appending(path: ".\(id.uuidString).json.new")
        try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: false)
        world.session?.report(.received(id, try BackgroundWorld.head(), try world.delivered("content")))
        #expect(await transfers.transfers.map(\.state) == [.running])
        #expect(world.text(world.file("film")) == nil)
        try FileManager.default.removeItem(at: blocked)
        try await world.clock.waitForSleepers(1)
        await world.clock.advance(by: BackgroundTransferEngine.retryDelay)
        #expect(try await BackgroundWorld.first(transfers).state == .finished(BackgroundWorld.head()))
        #expect(world.text(world.file("film")) == "content")
    }

    private static func record(in world: BackgroundWorld) throws -> BackgroundTransferRecord {
        try #require(try BackgroundTransferFolder(world.records).records().readable.first)
    }

    /// Changes the only record as a process does that is killed then.
    private static func store(
        _ phase: BackgroundTransferRecord.Phase, in world: BackgroundWorld
    ) throws -> BackgroundTransferRecord {
        let folder = try BackgroundTransferFolder(world.records)
        var record = try #require(try folder.records().readable.first)
        record.phase = phase
        try folder.store(record)
        return record
    }
}

import Foundation
import HTTPMessages
import Outbox
import PatchbayTestKit
import StoreCore
import StoreTestSupport
import TestSupport
import Testing
import VendorServices

@Suite(.needsSlot) struct OutboxFileTests {
    private static func file(in world: OutboxWorld, _ text: String = "0123456789") throws -> URL {
        let url = world.folder.url.appending(path: "photo")
        try Data(text.utf8).write(to: url)
        return url
    }

    private static func folder(in world: OutboxWorld) throws -> URL {
        let url = world.folder.url.appending(path: "bodies")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private static func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    private static func upload(_ url: URL, range: Range<Int64>? = nil) throws -> HTTPRequest {
        try HTTPRequest(.post, "http://shop.example/attachments", body: .file(at: url, range: range))
    }

    @Test func `10: a file is referenced, and sent before the request that names it`() async throws {
        let world = try OutboxWorld()
        let url = try Self.file(in: world)
        let outbox = try world.open { $0.startsPaused = true }
        try outbox.add(Self.upload(url, range: 2..<5), key: "a", as: "upload photo")
        try outbox.add(OutboxWorld.request(.post, "/orders", "names the photo"), key: "a", as: "save order")
        outbox.resume()
        try await outbox.drained()
        #expect(world.bodies == ["234", "names the photo"])
        #expect(FileManager.default.fileExists(atPath: url.path))
        await outbox.close()
    }

    @Test func `10: a file that is gone fails its entry`() async throws {
        let world = try OutboxWorld()
        let url = try Self.file(in: world)
        let outbox = try world.open { $0.startsPaused = true }
        let id = try outbox.add(Self.upload(url), key: "a", as: "upload photo").id
        try FileManager.default.removeItem(at: url)
        outbox.resume()
        try await outbox.status { $0.failed == 1 }
        #expect(try outbox.entry(id)?.failure?.reason == .unreadableBody)
        _ = try Self.file(in: world)
        try outbox.retry(id)
        try await outbox.drained()
        #expect(world.bodies == ["0123456789"])
        await outbox.close()
    }

    @Test func `10: a copied file is the outbox's own, until its entry is gone`() async throws {
        let world = try OutboxWorld()
        let (url, folder) = (try Self.file(in: world), try Self.folder(in: world))
        let outbox = try world.open {
            $0.files = .copied(to: folder)
            $0.startsPaused = true
        }
        try outbox.add(Self.upload(url, range: 0..<4), key: "a", as: "upload photo")
        let discarded = try outbox.add(Self.upload(url), key: "b", as: "upload photo").id
        try FileManager.default.removeItem(at: url)
        #expect(try Self.names(folder).count == 2)
        try outbox.discard(discarded)
        outbox.resume()
        try await outbox.drained()
        #expect(world.bodies == ["0123"])
        await outbox.close()
        #expect(try Self.names(folder).isEmpty)
    }

    @Test func `10: a form with a file is copied, and so is a body that is too long for the store`() async throws {
        let world = try OutboxWorld()
        let (url, folder) = (try Self.file(in: world), try Self.folder(in: world))
        let outbox = try world.open {
            $0.files = .copied(to: folder)
            $0.maximumBodyBytes = 8
            $0.startsPaused = true
        }
        let form = HTTPBody.sequence([.text("<"), try .file(at: url), .text(">")])
        for body in [form, .text("in memory"), .text("short")] {
            let request = try HTTPRequest(.post, "http://shop.example/attachments", body: body)
            try outbox.add(request, key: "a", as: "upload photo")
        }
        try FileManager.default.removeItem(at: url)
        #expect(try Self.names(folder).count == 2)
        outbox.resume()
        try await outbox.drained()
        #expect(world.bodies == ["<0123456789>", "in memory", "short"])
        await outbox.close()
        #expect(try Self.names(folder).isEmpty)
    }

    @Test func `10: an edited entry keeps its copied file`() async throws {
        let world = try OutboxWorld()
        let (url, folder) = (try Self.file(in: world), try Self.folder(in: world))
        let outbox = try world.open {
            $0.files = .copied(to: folder)
            $0.startsPaused = true
        }
        let id = try outbox.add(Self.upload(url), key: "a", as: "upload photo").id
        try FileManager.default.removeItem(at: url)
        try outbox.edit(id) { try $0.fields.set("X-Album", to: "garden") }
        try await outbox.status { _ in (try? Self.names(folder).count) == 1 }
        outbox.resume()
        try await outbox.drained()
        #expect(world.bodies == ["0123456789"])
        await outbox.close()
        #expect(try Self.names(folder).isEmpty)
    }

    @Test func `10: a copy whose transaction is rolled back is deleted, and that of a discard stays`() async throws {
        struct Refused: Error {}
        let world = try OutboxWorld()
        let (url, folder) = (try Self.file(in: world), try Self.folder(in: world))
        let options: (inout OutboxOptions) -> Void = {
            $0.files = .copied(to: folder)
            $0.startsPaused = true
        }
        let outbox = try world.open(options)
        let kept = try outbox.add(Self.upload(url), key: "a", as: "kept").id
        #expect(throws: Refused.self) {
            try world.transact {
                try outbox.add(Self.upload(url), key: "b", as: "rolled back")
                try outbox.discard(kept)
                throw Refused()
            }
        }
        try await outbox.status { _ in (try? Self.names(folder).count) == 1 }
        await outbox.close()
        try Data("left by a kill".utf8).write(to: folder.appending(path: "left.body"))
        let next = try world.open {
            options(&$0)
            $0.startsPaused = false
        }
        try await next.drained()
        #expect(world.bodies == ["0123456789"])
        await next.close()
        #expect(try Self.names(folder).isEmpty)
    }
}

extension OutboxWorld {
    fileprivate func open(_ change: (inout OutboxOptions) -> Void) throws -> Outbox { try open(over: nil, change) }
}

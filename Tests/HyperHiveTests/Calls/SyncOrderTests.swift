import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import SQLiteStore
import StoreCore
import TestSupport
import Testing
import Transport
import VendorServices

/// Responses 304, and loads that overlap.
@Suite(.needsSlot) struct SyncOrderTests {
    @Test func `HyperHive 10: 304 to a full request without a validator is an error`() async throws {
        try await Hive.serving(options: { $0.sendsEntityTags = false }) { hive in
            try await hive.prepare()
            for resource in ["FRUITS", "PRICES"] {
                hive.service.inject(.status(.notModified))
                let error = try #require(await hive.syncError(resource))
                #expect(error.code == .status && error.message.contains("no validator"))
                #expect(error.result.errors.first?.source == .server && error.result.errors.first?.code == 304)
                #expect(!error.result.isNotModified)
            }
            #expect(hive.sent("X-Delta") == ["v0-last", nil])
            #expect(try await hive.sync().upserts == 4)
        }
    }

    @Test func `HyperHive 10: 304 to a delta request without a validator causes one full request`() async throws {
        try await Hive.serving(options: { $0.sendsEntityTags = false }) { hive in
            try await hive.prepare()
            try await hive.sync()
            try hive.service.change("FRUITS", delete: [101])
            hive.service.inject(.status(.notModified))
            let sync = try await hive.sync()
            #expect(!sync.isNotModified && sync.upserts == 3)
            #expect(hive.sent("X-Delta") == ["v0-last", "v1-last", "v0-last"])
            hive.service.inject(.status(.notModified))
            hive.service.inject(.status(.notModified))
            let error = await hive.syncError()
            #expect(error?.code == .status && error?.result.isNotModified == false)
        }
    }

    @Test func `HyperHive 10: 304 to a validator that the app sends itself is not modified`() async throws {
        try await Hive.serving(options: { $0.sendsEntityTags = false }) { hive in
            try await hive.prepare()
            try await hive.sync()
            hive.service.inject(.status(.notModified))
            let options = HyperHiveCallOptions(headers: ["If-None-Match": "\"own\""])
            let sync = try await hive.sync(options: options)
            #expect(sync.isNotModified && sync.result.isNotModified && sync.version == 1)
            // It is of no rows any more.
            try hive.client.dropCache(of: "FRUITS", in: Hive.database)
            hive.service.inject(.status(.notModified))
            let error = try #require(await hive.syncError(options: options))
            #expect(error.code == .status && !error.result.isNotModified && error.message.contains("stored rows"))
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 10: 304 for rows that another process has dropped meanwhile is an error`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let other = HyperHive(
                hive.client.configuration, transport: URLSessionTransport.withoutDeadlines, options: hive.client.options
            )
            try other.openDatabase(Hive.database)
            for resource in ["FRUITS", "PRICES"] {
                try await hive.sync(resource)
                let gate = Gate()
                hive.service.inject(.hold(gate))
                async let load = hive.syncError(resource)
                try await gate.waitForWaiters(1)
                _ = try other.dropCache(of: resource, parameters: "", in: Hive.database)
                gate.open()
                let error = try #require(await load)
                #expect(error.code == .busy, "\(error)")
                #expect(hive.sent("If-None-Match").last != .some(nil))
                #expect(try await hive.sync(resource).upserts > 0)
            }
            try other.closeDatabase(Hive.database)
        }
    }

    @Test func `the validator of rows without versions is that of their user`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.users["bob"] = "b"
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            try await hive.sync("PRICES")
            #expect(try await hive.sync("PRICES").isNotModified)
            try await hive.client.signIn("bob", password: "b")
            #expect(try await hive.sync("PRICES").upserts == 2)
            #expect(hive.sent("If-None-Match").map { $0 == nil } == [true, false, true])
            #expect(try await hive.sync("PRICES").isNotModified)
        }
    }
}

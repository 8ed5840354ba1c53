import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

/// Concurrent calls, in any order: a call that starts after the end of a write never gets an older response.
@Suite(.needsSlot) struct CacheConsistencyTests {
    enum Storage: CaseIterable { case memory, sqlite, files, twoStores }

    /// A resource with a version, which writes increment.
    private static func origin() -> TestOrigin {
        let version = Watched(0)
        return TestOrigin { request, number in
            if number.isMultiple(of: 3) { await Task.yield() }
            let current = version.update { version in
                if request.method == .post { version += 1 }
                return version
            }
            if number.isMultiple(of: 5) { await Task.yield() }
            let tag = "\"\(current)\""
            let fields = [("Cache-Control", number.isMultiple(of: 2) ? "max-age=60" : "max-age=0"), ("ETag", tag)]
            if request.fields[.ifNoneMatch] == tag { return .test(request, status: 304, fields) }
            return .test(request, fields, "\(current)" + String(repeating: " ", count: 300))
        }
    }

    @Test(arguments: Storage.allCases) func `a write is seen by all later calls`(storage: Storage) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "cache.sqlite").path
        func store() throws -> SQLiteStore {
            var configuration = SQLiteStore.Configuration()
            configuration.busyTimeout = .seconds(3_600)
            return try SQLiteStore(.file(file), configuration: configuration)
        }
        let caches: [HTTPCache] =
            switch storage {
            case .memory: [HTTPCache()]
            case .sqlite: [HTTPCache(in: try store())]
            case .files:
                [
                    HTTPCache(
                        in: try store(), files: folder.url.appending(path: "bodies"), limits: .init(rowBytes: 100))
                ]
            case .twoStores: [HTTPCache(in: try store()), HTTPCache(in: try store())]
            }
        let origin = Self.origin()
        let transports = caches.map { origin.transport.caching(in: $0) }
        /// The version that each later call must have at least.
        let written = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<6 {
                group.addTask {
                    let transport = transports[lane % transports.count]
                    for step in 0..<60 {
                        let least = written.value
                        let isWrite = (lane + step).isMultiple(of: 7)
                        let response = try await transport.send(isWrite ? .test(.post, body: .text("x")) : .test())
                        let version = try #require(Int(response.text.trimmingCharacters(in: .whitespaces)))
                        #expect(version >= least, "\(response.cache)")
                        if isWrite { written.update { $0 = max($0, version) } }
                    }
                }
            }
            try await group.waitForAll()
        }
        for cache in caches { await cache.waitUntilIdle() }
        let last = try await transports[0].send(.test())
        #expect(Int(last.text.trimmingCharacters(in: .whitespaces)) == written.value)
    }
}

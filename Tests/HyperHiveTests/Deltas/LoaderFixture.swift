import DeltaSync
import Foundation
import LocalStore
import SQLiteStore
import TestSupport
import Testing

@testable import HyperHive

/// A store with a writer, and a target with the tables `R_fruits` and `R_trees`.
struct LoaderFixture {
    /// What a request would name.
    struct Stored: Equatable {
        var version: Int
        var etag: String?
    }

    let store: any LocalStore
    let writer: TableWriter
    let target: ResourceTarget
    let folder: TemporaryFolder

    init(_ store: any LocalStore, lifetime: String? = "1 day", parameters: String = "", user: String = "7") throws {
        self.store = store
        folder = try TemporaryFolder()
        writer = TableWriter(store, TableRegister(store: store), folder: folder.url)
        target = try Self.target(lifetime: lifetime, parameters: parameters, user: user)
    }

    static func target(lifetime: String? = "1 day", parameters: String = "", user: String = "7") throws
        -> ResourceTarget
    {
        let resource = HyperHiveResource(
            "R", lifetime: lifetime,
            outputs: [
                .init("fruits", columns: [.init("id", .bigint), .init("name", .text)]),
                .init("trees", columns: [.init("id", .bigint)]),
            ])
        let binding = DeltaBinding(server: "https://example.com", resource: "", user: user)
        return try ResourceTarget(resource, parameters: parameters, binding: binding)
    }

    /// Runs a test on each kind of store.
    static func onStores(_ body: (any LocalStore) async throws -> Void) async throws {
        try await body(MemoryStore())
        guard SQLiteLibrary.system.isAvailable else { return }
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(.file(folder.path("x.sqlite")))
        try await body(store)
        try store.close()
    }

    /// Loads a response whose request was made from what is stored now.
    @discardableResult
    func load(
        _ text: String, _ version: String?, etag: String? = nil, chunkSize: Int = 7,
        onProgress: @escaping @Sendable (HyperHiveProgress) -> Void = { _ in }
    ) async throws(DeltaError) -> TableChanges {
        try await load(
            text, version, etag: etag, chunkSize: chunkSize, requestedAt: writer.storedVersion(of: target),
            onProgress: onProgress)
    }

    /// Loads a response whose request was made from an earlier version.
    @discardableResult
    func load(
        _ text: String, _ version: String?, etag: String? = nil, chunkSize: Int = 7, requestedAt stored: StoredVersion?,
        onProgress: @escaping @Sendable (HyperHiveProgress) -> Void = { _ in }
    ) async throws(DeltaError) -> TableChanges {
        try await load(
            Self.body(text, chunkSize), version, etag: etag, requestedAt: stored, onProgress: onProgress)
    }

    /// Loads a response with a body of its own.
    @discardableResult
    func load<Body: AsyncSequence & Sendable>(
        _ body: Body, _ version: String?, etag: String? = nil, requestedAt stored: StoredVersion?,
        onProgress: @escaping @Sendable (HyperHiveProgress) -> Void = { _ in }
    ) async throws(DeltaError) -> TableChanges where Body.Element == Data {
        try await writer.write(
            body, content: version.flatMap { ContentVersion($0) }, etag: etag, into: target, requestedAt: stored,
            onProgress: onProgress)
    }

    static func body(_ text: String, _ chunkSize: Int, _ error: (any Error)? = nil) -> AsyncThrowingStream<
        Data, any Error
    > {
        AsyncThrowingStream { continuation in
            var rest = Data(text.utf8)[...]
            while !rest.isEmpty {
                continuation.yield(Data(rest.prefix(chunkSize)))
                rest = rest.dropFirst(chunkSize)
            }
            continuation.finish(throwing: error)
        }
    }

    /// A response with rows and deletions of `fruits`.
    static func delta(_ rows: String, _ deletions: String = "") -> String {
        "[{\"name\":\"fruits\",\"insert_rows\":[\(rows)],\"delete_ids\":[\(deletions)]}]"
    }

    func fruits() throws -> [[StoreValue]] { try store.rows("SELECT * FROM R_fruits ORDER BY 1, 2", []) }

    func stored() throws -> Stored {
        let version = try writer.storedVersion(of: target)
        return Stored(version: version?.number ?? 0, etag: version?.etag)
    }

    func version() throws -> Int { try stored().version }

    /// The shadow tables of loads that have not ended.
    func shadows() throws -> [[StoreValue]] {
        try store.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'patchbay_shadow%'", [])
    }

    /// Expects a load to fail without changing anything.
    func refuse(
        _ text: String, _ version: String?, _ code: DeltaError.Code, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = (try fruits(), try stored())
        let error = await #expect(throws: DeltaError.self, sourceLocation: sourceLocation) {
            try await load(text, version)
        }
        #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: sourceLocation)
        #expect(try fruits() == before.0, sourceLocation: sourceLocation)
        #expect(try stored() == before.1, sourceLocation: sourceLocation)
        #expect(try shadows() == [], sourceLocation: sourceLocation)
        #expect(try folder.names == [], sourceLocation: sourceLocation)
    }
}

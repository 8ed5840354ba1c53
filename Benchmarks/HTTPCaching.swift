import Foundation
import HTTPCaching
import HTTPMessages
import SQLiteStore
import SystemLibraries
import Transport

extension Harness {
    /// Measures hits in memory and in a file.
    func caching() async throws -> [Figure] {
        let operations = count(100_000)
        let (fake, request) = (CacheSamples.server, try CacheSamples.item(7))
        let memory = fake.caching()
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let file = folder.path("cache.sqlite")
        let cache = HTTPCache(in: try SQLiteStore(.file(file)))
        let stored = fake.caching(in: cache)
        for number in 0..<1_000 { _ = try await stored.send(CacheSamples.item(number)) }
        await cache.waitUntilIdle()
        let plain = try PlainSQLite(file)
        defer { plain.close() }
        let row = try CachedRow(plain, key: request.url.absoluteString)
        defer { row.finish() }
        return [
            try await compare(
                "A hit in memory", operations: operations, against: "the fake alone",
                subject: { for _ in 0..<operations { _ = try await memory.send(request) } },
                baseline: { for _ in 0..<operations { _ = try await fake.send(request) } }),
            try await compare(
                "A hit in a SQLite file", operations: operations, against: "C calls that read the same row",
                subject: { for _ in 0..<operations { _ = try await stored.send(request) } },
                baseline: { for _ in 0..<operations { row.read() } }),
        ]
    }

    /// Measures stored misses and hits over a socket.
    func caching(_ server: ServerProcess) async throws -> [Figure] {
        let operations = count(1_500)
        let network = URLSessionTransport()
        let memory = network.caching()
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let rules = CacheRules { $0.staleIfError = .seconds(1) }
        let cache = HTTPCache(in: try SQLiteStore(.file(folder.path("cache.sqlite"))), rules: rules)
        let stored = network.caching(in: cache)
        let url = try URL(httpString: server.url + "/akula/app/data/item?region=east")
        let bare = BareURLSession(connections: URLSessionTransport.Configuration().maximumConnectionsPerOrigin)
        var preferring = try HTTPRequest(.get, url)
        preferring.options.cachePolicy = .preferCached
        _ = try await stored.send(preferring)
        await cache.waitUntilIdle()
        var number = 0
        func next() throws -> HTTPRequest {
            number += 1
            return try HTTPRequest(.get, server.url + "/akula/app/data/item?region=\(number)")
        }
        let figures = [
            try await compare(
                "A stored miss in memory, over a socket", operations: operations,
                against: "the same request without it",
                subject: { for _ in 0..<operations { _ = try await memory.send(next()) } },
                baseline: { for _ in 0..<operations { _ = try await network.send(next()) } }),
            try await compare(
                "A stored miss in a SQLite file, over a socket", operations: operations,
                against: "the same request without it",
                subject: { for _ in 0..<operations { _ = try await stored.send(next()) } },
                baseline: { for _ in 0..<operations { _ = try await network.send(next()) } }),
            try await compare(
                "A hit in a SQLite file", operations: operations, against: "bare URLSession data task, same request",
                subject: { for _ in 0..<operations { _ = try await stored.send(preferring) } },
                baseline: { for _ in 0..<operations { _ = try await bare.get(url) } }),
        ]
        guard let squid = ProcessInfo.processInfo.environment["PATCHBAY_SQUID"] else { return figures }
        return figures + [
            try await caching(before: try URL(httpString: squid + "/item"), stored, bare, operations: operations)
        ]
    }

    /// Measures hits in a file against hits in squid, which `.ci/interop --measure` starts.
    private func caching(
        before squid: URL, _ stored: Caching<URLSessionTransport>, _ bare: BareURLSession, operations: Int
    ) async throws -> Figure {
        let request = try HTTPRequest(.get, squid)
        _ = try await stored.send(request)
        await stored.cache.waitUntilIdle()
        return try await compare(
            "A hit in a SQLite file", operations: operations, against: "a hit in squid by a bare URLSession",
            subject: { for _ in 0..<operations { _ = try await stored.send(request) } },
            baseline: { for _ in 0..<operations { _ = try await bare.get(squid) } })
    }
}

/// The baseline of a hit in a file: the row of a stored response, read as a C program does.
private struct CachedRow {
    private let plain: PlainSQLite
    private let statement: OpaquePointer?
    private let key: [CChar]

    init(_ plain: PlainSQLite, key: String) throws {
        self.plain = plain
        self.key = Array(key.utf8CString)
        statement = try plain.prepare(
            "SELECT version, lists, sum, file, size, head, body FROM patchbay_cache1_entry WHERE key = ? AND variant = ?"
        )
    }

    /// Reads all cells, and copies the body and the head.
    func read() {
        _ = plain.functions.bindText(statement, 1, key, UInt64(key.count - 1), nil, 1)
        _ = plain.functions.bindText(statement, 2, "", 0, nil, 1)
        guard plain.functions.step(statement) == PlainSQLite.row else { return }
        _ = plain.columns.integer(statement, 0)
        _ = plain.columns.integer(statement, 2)
        for column in [CInt(5), 6] {
            guard let start = plain.columns.text(statement, column) else { continue }
            _ = Data(bytes: start, count: Int(plain.columns.byteCount(statement, column)))
        }
        _ = plain.functions.reset(statement)
    }

    func finish() { _ = plain.functions.finalize(statement) }
}

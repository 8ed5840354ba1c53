import Foundation
import HTTPMessages
import Outbox
import PatchbayTestKit
import SQLiteStore
import StoreCore
import Transport

extension Harness {
    /// Compares adding to an outbox with a plain INSERT of the same bytes, and sending from it with a loop.
    func outbox(_ server: ServerProcess) async throws -> [Figure] {
        guard SQLiteLibrary.system.isAvailable else { return [] }
        return [
            try await addedEntries("each on the disk before it returns", 300, .full),
            try await addedEntries("on the disk at the next checkpoint", 3000, .normal),
            try await sentEntries(server),
        ]
    }

    /// Opens an outbox with a million entries.
    func outboxOpening() throws -> Growth {
        let entries = count(1_000_000)
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let path = folder.path("million.sqlite")
        try autoreleased { try OutboxEntries.write(entries, to: path) }
        let before = Usage.now
        Usage.resetPeak()
        let clock = ContinuousClock()
        let start = clock.now
        let store = try SQLiteStore(.file(path))
        let outbox = try OutboxEntries.open(store, over: FakeTransport { $0.response() })
        let opened = clock.now - start
        let growth = max(0, Usage.peak - before.bytes)
        withExtendedLifetime(outbox) {}
        return Growth(
            name:
                "An outbox of \(entries) entries opened in \((opened / .milliseconds(1)).text(1)) ms, +\(growth >> 20) MiB",
            baseline: "none", requests: entries, descriptors: 0, threads: 0,
            bytesPerRequest: Double(growth) / Double(entries), baselineBytesPerRequest: 0)
    }

    private func addedEntries(
        _ name: String, _ full: Int, _ durability: SQLiteStore.Durability
    ) async throws -> Figure {
        let entries = count(full)
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.durability = durability
        let store = try SQLiteStore(.file(folder.path("added.sqlite")), configuration: configuration)
        let plain = try SQLiteStore(.file(folder.path("plain.sqlite")), configuration: configuration)
        try plain.execute(
            """
            CREATE TABLE entry (id INTEGER PRIMARY KEY, idempotencyKey TEXT, key TEXT, name TEXT, created INTEGER,
            method TEXT, url TEXT, fields TEXT, body BLOB)
            """)
        let outbox = try OutboxEntries.open(store, over: FakeTransport { $0.response() })
        let requests = try (0..<entries).map { try OutboxEntries.request("http://h.example", $0) }
        let figure = try await compare(
            "\(entries) entries added to an outbox, \(name)", operations: entries, against: "INSERT of the same bytes",
            subject: {
                for (number, request) in requests.enumerated() {
                    try outbox.add(request, key: number, as: "save order")
                }
            },
            baseline: {
                for (number, request) in requests.enumerated() {
                    try plain.execute(
                        "INSERT INTO entry VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
                        [
                            .text(UUID().uuidString), .text("\(number)"), .text("save order"),
                            .integer(Int64(Date().timeIntervalSince1970 * 1000)), .text(request.method.name),
                            .text(request.url.absoluteString), .text(#"["Content-Type","application/json"]"#),
                            .blob(OutboxEntries.body),
                        ])
                }
            })
        await outbox.close()
        return figure
    }

    private func sentEntries(_ server: ServerProcess) async throws -> Figure {
        let entries = count(10_000)
        let requests = try (0..<entries).map { try OutboxEntries.request(server.url, $0) }
        let transport = URLSessionTransport()
        return try await compareTimes(
            "\(entries) entries sent from an outbox", operations: entries, against: "the same requests in a loop",
            rounds: min(rounds, 5),
            subject: {
                let folder = try BenchmarkFolder()
                defer { folder.remove() }
                let store = try SQLiteStore(.file(folder.path("sent.sqlite")))
                let outbox = try OutboxEntries.open(store, over: transport)
                try OutboxEntries.add(requests, to: outbox)
                return await seconds {
                    outbox.resume()
                    for await status in outbox.status where status.waiting + status.sending == 0 { break }
                    await outbox.close()
                }
            },
            baseline: {
                try await seconds { for request in requests { _ = try await transport.send(request) } }
            })
    }
}

/// The entries of the benchmarks.
private enum OutboxEntries {
    static let body = Data(#"{"id":7,"name":"patch cable","price":12.5,"tags":["audio","6.3 mm"],"stock":140}"#.utf8)

    static func request(_ server: String, _ number: Int) throws -> HTTPRequest {
        var request = try HTTPRequest(.post, "\(server)/orders/\(number)", body: .bytes(body))
        try request.fields.set(.contentType, to: "application/json")
        return request
    }

    static func open(_ store: SQLiteStore, over transport: some Transport) throws -> Outbox {
        try Outbox(in: store, over: transport, options: OutboxOptions { $0.startsPaused = true })
    }

    // Synchronous, so that it is the blocking transaction.
    static func add(_ requests: [HTTPRequest], to outbox: Outbox) throws {
        try outbox.store.transaction {
            for (number, request) in requests.enumerated() { try outbox.add(request, key: number, as: "save order") }
        }
    }

    static func write(_ count: Int, to path: String) throws {
        let store = try SQLiteStore(.file(path))
        let outbox = try open(store, over: FakeTransport { $0.response() })
        let request = try request("http://h.example", 0)
        for part in stride(from: 0, to: count, by: 10_000) {
            try store.transaction {
                for number in part..<min(count, part + 10_000) {
                    try outbox.add(request, key: number, as: "save order")
                }
            }
        }
    }
}

private func autoreleased(_ body: () throws -> Void) throws { try body() }

import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// A store, an applier, and a target with the table `socket`.
struct DeltaFixture {
    let store: any LocalStore
    let applier: DeltaApplier
    var target: DeltaTarget
    /// True when other threads can read during a transaction.
    let readsConcurrently: Bool

    static let columns: [TableSchema.Column] = [.init("id", "INTEGER"), .init("label", "TEXT"), .init("gain", "REAL")]

    /// Runs a test with an empty store.
    static func run(_ kind: StoreSubject, _ body: (inout DeltaFixture) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try kind.make(folder)
        var fixture = try DeltaFixture(store, readsConcurrently: kind.readsConcurrently)
        try body(&fixture)
        try store.close()
    }

    init(_ store: any LocalStore, readsConcurrently: Bool = false) throws {
        self.store = store
        applier = DeltaApplier(self.store)
        target = try Self.target()
        self.readsConcurrently = readsConcurrently
    }

    static func target(
        _ columns: [TableSchema.Column] = Self.columns, key: [SQLIdentifier] = ["id"], table: SQLIdentifier = "socket",
        binding: DeltaBinding = DeltaBinding(server: "https://example.com", resource: "sockets", user: "7")
    ) throws -> DeltaTarget {
        try DeltaTarget(tables: [TableSchema(table, columns: columns, primaryKey: key)], binding: binding)
    }

    /// The text of a delta. An operation is written as JSON; `+` stands for an upsert, `-` for a delete.
    static func text(
        _ from: String?, _ to: String, more: Bool = false, table: String = "socket", _ operations: [String] = [],
        counts: (Int, Int)? = nil
    ) -> String {
        let upserts = operations.filter { $0.hasPrefix("+") }.count
        let counts = counts ?? (upserts, operations.filter { $0.hasPrefix("-") }.count)
        let elements = operations.map { operation in
            switch operation.first {
            case "+": "{\"upsert\":\(operation.dropFirst())}"
            case "-": "{\"delete\":\(operation.dropFirst())}"
            default: operation
            }
        }
        let start = [
            "{\"resource\":\"sockets\",\"from\":\(from.map { "\"\($0)\"" } ?? "null"),\"to\":\"\(to)\",\"more\":\(more)}",
            "{\"table\":\"\(table)\"}",
        ]
        let end = "{\"end\":{\"upserts\":\(counts.0),\"deletes\":\(counts.1)}}"
        return "[" + (start + elements + [end]).joined(separator: ",") + "]"
    }

    @discardableResult
    func apply(_ text: String, chunkSize: Int = 65536) throws -> DeltaOutcome {
        var source = Self.source(Data(text.utf8), chunkSize: chunkSize)
        return try applier.apply(&source, to: target)
    }

    @discardableResult
    func apply(
        _ from: String?, _ to: String, more: Bool = false, _ operations: [String] = [], counts: (Int, Int)? = nil
    ) throws -> DeltaOutcome {
        try apply(Self.text(from, to, more: more, operations, counts: counts))
    }

    static func source(_ data: Data, chunkSize: Int) -> JSONDeltaSource {
        var rest = data
        return JSONDeltaSource {
            defer { rest = rest.dropFirst(chunkSize) }
            return rest.isEmpty ? nil : rest.prefix(chunkSize)
        }
    }

    /// Expects a delta to fail without changing anything.
    @discardableResult
    func refuse(
        _ text: String, _ code: DeltaError.Code, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> DeltaError? {
        let before = try state()
        let error = #expect(throws: DeltaError.self, sourceLocation: sourceLocation) { try apply(text) }
        #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: sourceLocation)
        #expect(try state() == before, sourceLocation: sourceLocation)
        return error
    }

    func rows(_ columns: String = "id, label", table: String = "socket") throws -> [[StoreValue]] {
        try store.rows("SELECT \(columns) FROM \(table) ORDER BY 1", [])
    }

    func version() throws -> String? { try applier.version(of: target) }
    func request() throws -> DeltaRequest { try applier.nextRequest(for: target) }

    /// The state visible to an app.
    struct State: Equatable {
        let rows: [[StoreValue]]
        let version: String?
    }

    func state() throws -> State {
        State(rows: try store.schema(of: "socket") == nil ? [] : try rows("*"), version: try version())
    }
}

/// A source that calls a closure before each batch.
struct InterruptedSource<Base: DeltaSource>: DeltaSource {
    var base: Base
    /// Called with the number of the batch, from 0.
    let interruption: (Int) throws -> Void
    private var batches = 0

    init(_ base: Base, _ interruption: @escaping (Int) throws -> Void) {
        self.base = base
        self.interruption = interruption
    }

    mutating func begin(_ target: DeltaTarget) throws(DeltaError) -> DeltaHeader { try base.begin(target) }

    mutating func next(into buffer: inout DeltaBuffer) throws(DeltaError) -> DeltaStep {
        do {
            try interruption(batches)
        } catch {
            throw DeltaError(.source, "interrupted", underlying: error)
        }
        batches += 1
        return try base.next(into: &buffer)
    }
}

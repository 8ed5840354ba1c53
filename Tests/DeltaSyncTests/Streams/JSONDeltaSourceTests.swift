import Foundation
import Testing

@testable import DeltaSync
@testable import StoreCore

@Suite struct JSONDeltaSourceTests {
    private static let header = #"{"resource":"jacks","from":"3","to":"4"}"#

    /// Result of reading a source: the header, then the operations in order.
    private struct Reading: Equatable {
        var header: DeltaHeader?
        var operations: [String] = []
        var error: DeltaError.Code?
        var offset: Int?
    }

    private func read(_ text: String, chunkSize: Int = 1000, ignoring: Bool = false) throws -> Reading {
        let jack = try TableSchema("jack", columns: [.init("id"), .init("label")], primaryKey: ["id"])
        let plug = try TableSchema("plug", columns: [.init("a"), .init("b"), .init("c")], primaryKey: ["c", "a"])
        var target = try DeltaTarget(tables: [jack, plug], binding: DeltaBinding(server: "s", resource: "jacks"))
        target.ignoresUnknownColumns = ignoring
        var rest = Data(text.utf8)
        var source = JSONDeltaSource {
            defer { rest = rest.dropFirst(chunkSize) }
            return rest.isEmpty ? nil : rest.prefix(chunkSize)
        }
        var reading = Reading()
        do throws(DeltaError) {
            reading.header = try source.begin(target)
            while true {
                var buffer = DeltaBuffer(
                    rows: try batches(target.tables.map { $0.columns.map(\.name) }),
                    keys: try batches(target.tables.map(\.primaryKey)))
                switch try source.next(into: &buffer) {
                case .upserts(let table): reading.operations += texts("+\(table)", buffer.rows[table])
                case .deletes(let table): reading.operations += texts("-\(table)", buffer.keys[table])
                case .end(let counts):
                    reading.operations.append("end \(counts?.upserts ?? -1) \(counts?.deletes ?? -1)")
                    return reading
                }
            }
        } catch {
            (reading.error, reading.offset) = (error.code, error.offset)
            return reading
        }
    }

    private func batches(_ columns: [[SQLIdentifier]]) throws(DeltaError) -> [RowBatch] {
        do { return try columns.map { try RowBatch(columns: $0) } } catch { throw DeltaError(wrapping: error) }
    }

    private func texts(_ prefix: String, _ batch: RowBatch) -> [String] {
        (0..<batch.rowCount).map { row in
            let cells = batch.columns.indices.map { column in
                switch batch.value(row: row, column: column) {
                case .integer(let value): "\(value)"
                case .text(let text): text
                default: "null"
                }
            }
            return prefix + " " + cells.joined(separator: " ")
        }
    }

    @Test func `a delta of several tables`() throws {
        let text = #"""
             [ {"to":"4","more":true,"from":null} ,
             {"table":"jack","key":["id"]}, {"upsert":{"id":1,"label":"x"}}, {"upsert":{"label":"y","id":2}},
             {"delete":[1]}, {"delete":["k"]}, {"upsert":{"id":3}}, {"table" : "PLUG" , "key":["C","a"]},
             {"upsert":{"a":1,"c":2}}, {"delete":[7,8]}, {"table":"jack"}, {"upsert":{"id":9}}, {"end":{"deletes":3,"upserts":5}} ] 
            """#
        for chunkSize in [1, 2, 3, 7, 50, 1000] {
            let reading = try read(text, chunkSize: chunkSize)
            #expect(reading.header == DeltaHeader(baseVersion: nil, targetVersion: "4", hasMore: true))
            #expect(
                reading.operations == [
                    "+0 1 x", "+0 2 y", "-0 1", "-0 k", "+0 3 null", "+1 1 null 2", "-1 7 8", "+0 9 null", "end 5 3",
                ], "\(reading)")
        }
    }

    @Test func `T4: truncation is an error at every byte`() throws {
        let text =
            "[\(Self.header),{\"table\":\"jack\"},{\"upsert\":{\"id\":1}},{\"delete\":[2]},{\"end\":{\"upserts\":1,\"deletes\":1}}]"
        #expect(try read(text).operations.last == "end 1 1")
        for count in 0..<text.utf8.count {
            let reading = try read(String(decoding: Array(text.utf8.prefix(count)), as: UTF8.self), chunkSize: 5)
            #expect(reading.error == .truncated)
            #expect(reading.offset == count)
            #expect(reading.operations.last?.hasPrefix("end") != true)
        }
    }

    private static let otherShapes =
        [
            ("{}", .malformed), ("[]", .malformed), ("[1]", .malformed), ("[{}]", .malformed),
            ("[{\"from\":\"1\"}]", .malformed),
            ("[{\"to\":1}]", .malformed), ("[{\"to\":\"1\",\"to\":\"2\"}]", .malformed),
            ("[{\"to\":\"1\",\"x\":1}]", .malformed),
            ("[{\"to\":\"1\",\"more\":0}]", .malformed), ("[H]", .malformed), ("[H,]", .malformed),
            ("[H,1]", .malformed),
            ("[H,{\"merge\":{}}]", .unknownOperation), ("[H,{}]", .malformed),
            ("[H,{\"upsert\":{\"id\":1}}]", .malformed),
            ("[H,{\"table\":\"other\"}]", .unknownTable), ("[H,{\"table\":\"jack\",\"key\":[\"label\"]}]", .mismatch),
            ("[H,{\"table\":\"jack\",\"key\":[]}]", .mismatch), ("[H,{\"table\":\"jack\",\"name\":1}]", .malformed),
            ("[H,T,{\"upsert\":{\"id\":1},\"x\":1}]", .malformed),
            ("[H,T,{\"upsert\":{\"id\":1,\"x\":1}}]", .unknownColumn),
            ("[H,T,{\"upsert\":{\"id\":1,\"id\":1}}]", .duplicateColumn),
            ("[H,T,{\"upsert\":{\"label\":1}}]", .missingKey),
            ("[H,T,{\"upsert\":{\"id\":null}}]", .missingKey), ("[H,T,{\"upsert\":{}}]", .missingKey),
            ("[H,T,{\"upsert\":[1,2]}]", .malformed),
            ("[H,T,{\"delete\":[null]}]", .missingKey), ("[H,T,{\"delete\":[]}]", .malformed),
            ("[H,T,{\"delete\":[1,2]}]", .malformed),
            ("[H,T,{\"delete\":1}]", .malformed), ("[H,{\"table\":\"plug\"},{\"delete\":[1]}]", .malformed),
            ("[H,{\"table\":\"plug\"},{\"delete\":[1,null]}]", .missingKey), ("[H,{\"end\":{}}]", .malformed),
            ("[H,{\"end\":{\"upserts\":-1,\"deletes\":0}}]", .malformed),
            ("[H,{\"end\":{\"upserts\":0.5,\"deletes\":0}}]", .malformed),
            ("[H,E,T]", .malformed), ("[H,E]]", .malformed), ("[H,E] x", .malformed), ("[H,T]", .malformed),
        ] as [(String, DeltaError.Code)]

    @Test(arguments: [
        (#"{"table":"other"}"#, "Unknown table \"other\" at byte 51: expected the name of one of the target's tables."),
        (#"{"merge":{}}"#, "Unknown operation \"merge\" at byte 43: expected one of table, upsert, delete and end."),
        (
            #"{"table":"jack"},{"delete":["1","4"]}"#,
            "Malformed stream at byte 73: expected in `delete` the list of one row's key values, one for each "
                + "column of the primary key."
        ),
        (
            #"{"table":"jack"},{"delete":{"id":1}}"#,
            "Malformed stream at byte 69: expected in `delete` the list of one row's key values, one for each "
                + "column of the primary key."
        ),
    ])
    func `errors name tables and operations`(element: String, message: String) throws {
        let jack = try TableSchema("jack", columns: [.init("id")], primaryKey: ["id"])
        let target = try DeltaTarget(tables: [jack], binding: DeltaBinding(server: "s", resource: "jacks"))
        var source = JSONDeltaSource(Data("[\(Self.header),\(element)]".utf8))
        _ = try source.begin(target)
        var buffer = DeltaBuffer(rows: try batches([["id"]]), keys: try batches([["id"]]))
        let error = #expect(throws: DeltaError.self) { try source.next(into: &buffer) }
        #expect(error?.message == message)
    }

    @Test func `the error of a source has the message of its cause, if that shows no secrets`() throws {
        struct Other: Error { let text = "hunter2" }
        struct Own: PatchbayError {
            let code = Code(1)
            let message = "hunter2"
        }
        let jack = try TableSchema("jack", columns: [.init("id")], primaryKey: ["id"])
        let target = try DeltaTarget(tables: [jack], binding: DeltaBinding(server: "s", resource: "jacks"))
        let causes: [(any Error, String)] = [
            (StoreError(.io, "disk I/O error"), "Reading the delta failed: disk I/O error"),
            (Other(), "Reading the delta failed; see `underlying`."),
            (Own(), "Reading the delta failed; see `underlying`."),
        ]
        for (cause, message) in causes {
            var source = JSONDeltaSource { throw cause }
            let error = #expect(throws: DeltaError.self) { try source.begin(target) }
            #expect(error?.message == message)
        }
    }

    @Test func `invalid streams are rejected, however they are split`() throws {
        for (text, code) in Self.otherShapes {
            let stream = text.replacing("H", with: Self.header).replacing("T", with: #"{"table":"jack"}"#)
                .replacing("E", with: #"{"end":{"upserts":0,"deletes":0}}"#)
            let whole = try read(stream)
            #expect(whole.error == code, "\(text): \(whole)")
            for chunkSize in [1, 4] {
                let reading = try read(stream, chunkSize: chunkSize)
                #expect(reading.error == code, "\(text)")
                #expect(reading.offset == whole.offset, "\(text)")
            }
        }
    }

    @Test func `unknown columns can be ignored`() throws {
        let text =
            "[\(Self.header),{\"table\":\"jack\"},{\"upsert\":{\"x\":[1],\"id\":1}},{\"end\":{\"upserts\":1,\"deletes\":0}}]"
        #expect(try read(text, ignoring: true).operations == ["+0 1 null", "end 1 0"])
    }

    @Test func `batches have a maximum size`() throws {
        let rows = (0..<5000).map { "{\"upsert\":{\"id\":\($0)}}," }.joined()
        let jack = try TableSchema("jack", columns: [.init("id")], primaryKey: ["id"])
        let target = try DeltaTarget(tables: [jack], binding: DeltaBinding(server: "s", resource: "jacks"))
        var source = JSONDeltaSource(
            Data("[\(Self.header),{\"table\":\"jack\"},\(rows){\"end\":{\"upserts\":5000,\"deletes\":0}}]".utf8))
        _ = try source.begin(target)
        var counts: [Int] = []
        var buffer = DeltaBuffer(rows: [try RowBatch(columns: ["id"])], keys: [try RowBatch(columns: ["id"])])
        while case .upserts(0) = try source.next(into: &buffer) {
            counts.append(buffer.rows[0].rowCount)
            buffer.rows[0].removeAll()
        }
        #expect(counts == [2048, 2048, 904])
    }

    @Test func `errors of the byte source are reported`() throws {
        var source = JSONDeltaSource { throw CocoaError(.fileReadNoSuchFile) }
        let jack = try TableSchema("jack", columns: [.init("id")], primaryKey: ["id"])
        let target = try DeltaTarget(tables: [jack], binding: DeltaBinding(server: "s", resource: "jacks"))
        let error = #expect(throws: DeltaError.self) { try source.begin(target) }
        #expect(error?.code == .source)
        #expect(error?.underlying is CocoaError)
    }
}

import DeltaSync
import Foundation
import StoreCore
import Testing

@testable import HyperHive

@Suite struct TableResponseReaderTests {
    private static let text = #"""
         [ {"name":"fruits",
         "insert_rows":[ [101,1,"Яблоко \u0041\uD83C\uDF4E"] , [9007199254740993,null,-0.5] ],"delete_ids":[102,"k"]} ,
         {"other":{"name":["x",[1]]},"delete_ids":[],"insert_rows":[[7]],"name":"trees"},
         {"name":"fruits","data":[[5,null,null]]} ] 
        """#
    private static let deletions = ["-0 102", "-0 'k'"]
    private static let rows = ["+0 101 1 'Яблоко A🍎'", "+0 9007199254740993 null -0.5", "+1 7", "+0 5 null null"]

    @Test func `HyperHive 7: a response in chunks of every size`() throws {
        for chunkSize in Array(1...64) + [1000] {
            let delta = try TableResponse(Self.text, chunkSize: chunkSize, isSpooled: true)
            #expect(delta.operations == Self.deletions + Self.rows, "\(chunkSize): \(delta)")
            #expect(delta.code == nil)
            let full = try TableResponse(Self.text, chunkSize: chunkSize, isSpooled: false)
            #expect(full.operations == Self.rows, "\(chunkSize): \(full)")
            #expect(full.code == nil)
        }
    }

    @Test(arguments: [true, false]) func `HyperHive 8: a cut is an error at every byte`(_ isSpooled: Bool) throws {
        let bytes = Data(Self.text.utf8)
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "]")))
        for count in 0...end {
            let response = try TableResponse(bytes.prefix(count), chunkSize: 5, isSpooled: isSpooled)
            #expect(response.code == .truncated, "\(count): \(response)")
            #expect(response.offset == count, "\(count): \(response)")
            // A delta is checked to its end before its first operation is delivered.
            if isSpooled { #expect(response.operations == []) }
        }
    }

    private static let members = [
        #""name":"fruits""#, #""insert_rows":[[1,null,"a"],[2,"b",null]]"#, #""delete_ids":[3]"#, #""x":[[9]]"#,
    ]

    @Test func `HyperHive 7: the members come in any order`() throws {
        for first in 0..<4 {
            for second in 0..<4 where second != first {
                for third in 0..<4 where third != first && third != second {
                    let order = [first, second, third, 6 - first - second - third]
                    let members = order.map { Self.members[$0] }.joined(separator: " , ")
                    let text = "[{\(members)},{\"data\":[[4]],\"name\":\"trees\"}]"
                    for chunkSize in [1, 3, 1000] {
                        let delta = try TableResponse(text, chunkSize: chunkSize, isSpooled: true)
                        #expect(
                            delta.operations == ["-0 3", "+0 1 null 'a'", "+0 2 'b' null", "+1 4"],
                            "\(order): \(delta)")
                        let full = try TableResponse(text, chunkSize: chunkSize, isSpooled: false)
                        #expect(full.operations == ["+0 1 null 'a'", "+0 2 'b' null", "+1 4"], "\(order): \(full)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "[]", " [ ] ", "[{}]", #"[{"name":"fruits"}]"#, #"[{"name":"fruits","insert_rows":[],"delete_ids":[]}]"#,
        #"[{"insert_rows":null,"delete_ids":null,"name":"fruits"}]"#, #"[{"x":1},{"name":"TREES","data":[]}]"#,
    ])
    func `HyperHive 7: responses without rows`(_ text: String) throws {
        for isSpooled in [true, false] {
            for chunkSize in [1, 1000] {
                let response = try TableResponse(text, chunkSize: chunkSize, isSpooled: isSpooled)
                #expect(response.code == nil, "\(response)")
                #expect(response.operations == [])
            }
        }
    }

    @Test(
        arguments: [
            ("[[1,2,3,4]]", nil), ("[[1,2,3,]]", nil), ("[[1,]]", nil), ("[[,1]]", nil), ("[1]", nil), ("[null]", nil),
            ("[{\"hhive_id\":1}]", nil), ("{}", nil), ("7", nil), ("[[1,2,3],]", nil), ("[[1,2,3] [2,2,3]]", nil),
            ("[[1,2]]", nil), ("[[1]]", nil), ("[[]]", nil), ("[[1,2,3],[1,2]]", nil),
            ("[[1e400,2,3]]", nil),
            ("[[1,2,\"\\uD83C\"]]", nil), ("[[1,2,\"\\uDF4E\"]]", nil), ("[[01,2,3]]", nil), ("[[1,2,\"a\tb\"]]", nil),
            ("[[null,2,3]]", .missingKey),
        ] as [(String, DeltaError.Code?)])
    func `HyperHive 8: invalid rows are an error at the same byte, however they are split`(
        _ rows: String, _ code: DeltaError.Code?
    ) throws {
        let text = "[{\"name\":\"fruits\",\"insert_rows\":\(rows)}]"
        for isSpooled in [true, false] {
            let whole = try TableResponse(text, isSpooled: isSpooled)
            #expect(whole.code == code ?? .malformed, "\(text): \(whole)")
            for chunkSize in [1, 2, 7] {
                #expect(try TableResponse(text, chunkSize: chunkSize, isSpooled: isSpooled) == whole, "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            ("[[1]]", .malformed), ("[{}]", .malformed), ("[null]", .missingKey), ("[1,]", .malformed),
            ("1", .malformed),
            ("[\"\\uD800\"]", .malformed),
        ] as [(String, DeltaError.Code)])
    func `HyperHive 8: invalid identifiers are an error`(_ identifiers: String, _ code: DeltaError.Code) throws {
        let text = "[{\"name\":\"fruits\",\"delete_ids\":\(identifiers)}]"
        for isSpooled in [true, false] { #expect(try TableResponse(text, isSpooled: isSpooled).code == code) }
    }

    @Test(
        arguments: [
            ("{}", .malformed), ("null", .malformed), ("[1]", .malformed), ("[{}", .truncated), ("[{},]", .malformed),
            ("[{\"name\":\"other\"}]", .unknownTable), ("[{\"name\":7}]", .malformed),
            ("[{\"name\":null}]", .malformed),
            ("[{\"data\":[[1]]}]", .malformed), ("[{\"delete_ids\":[]}]", .malformed), ("[] x", .malformed),
            ("[{\"name\":\"trees\",\"name\":\"trees\"}]", .malformed), ("[]]", .malformed), ("", .truncated),
            ("[{\"name\":\"trees\",\"data\":[],\"data\":[]}]", .malformed), ("[{\"x\":[}]", .malformed),
        ] as [(String, DeltaError.Code)])
    func `HyperHive 8: invalid responses are an error, however they are split`(
        _ text: String, _ code: DeltaError.Code
    ) throws {
        for isSpooled in [true, false] {
            let whole = try TableResponse(text, isSpooled: isSpooled)
            #expect(whole.code == code, "\(text): \(whole)")
            #expect(try TableResponse(text, chunkSize: 1, isSpooled: isSpooled) == whole, "\(text)")
        }
    }

    @Test func `HyperHive 9: a delta without its version is refused, and rows of a full load in a delta`() throws {
        let delta = #"[{"name":"trees","insert_rows":[[1]]}]"#
        let full = #"[{"name":"trees","data":[[1]]}]"#
        #expect(try TableResponse(delta, isSpooled: false, .full).code == .malformed)
        #expect(try TableResponse(full, isSpooled: false, .full).operations == ["+1 1"])
        #expect(try TableResponse(full, isSpooled: true, .delta).code == .malformed)
        #expect(try TableResponse(delta, isSpooled: true, .delta).operations == ["+1 1"])
    }

    @Test func `rows without a key may be all null`() throws {
        let text = #"[{"name":"fruits","data":[[null,null],[1,"x"]],"delete_ids":[1]}]"#
        let response = try TableResponse(text, isSpooled: false, tables: TableResponse.keyless)
        #expect(response.operations == ["+0 null null", "+0 1 'x'"])
    }

    @Test func `the number of table objects is limited, since their names are kept`() throws {
        let limit = TableResponseParser.maximumObjectCount
        let text = { (count: Int) in "[\(String(repeating: "{},", count: count - 1)){}]" }
        for isSpooled in [true, false] {
            #expect(try TableResponse(text(limit), isSpooled: isSpooled).code == nil)
            #expect(try TableResponse(text(limit + 1), isSpooled: isSpooled).code == .malformed)
        }
    }

    @Test func `batches have a maximum size`() throws {
        let rows = (0..<5000).map { "[\($0)]" }.joined(separator: ",")
        var chunks = [Data("[{\"data\":[\(rows)],\"name\":\"trees\"}]".utf8)]
        var reader = TableResponseReader(TableResponse.tables, .any, folder: FileManager.default.temporaryDirectory) {
            chunks.popLast()
        }
        var batches = try TableResponse.tables.map { try RowBatch(columns: $0.schema.columns.map(\.name)) }
        var keys: [RowBatch] = []
        var counts: [Int] = []
        while case .rows(let table) = try reader.next(.rows, rows: &batches, keys: &keys) {
            counts.append(batches[table].rowCount)
            batches[table].removeAll()
        }
        #expect(counts == [2048, 2048, 904])
    }

    @Test func `an error of the connection is the underlying error`() throws {
        struct Broken: Error {}
        var chunks = [Data("[{\"name\":\"trees\",".utf8)]
        var reader = TableResponseReader(TableResponse.tables, .any, folder: FileManager.default.temporaryDirectory) {
            guard let chunk = chunks.popLast() else { throw Broken() }
            return chunk
        }
        let error = #expect(throws: DeltaError.self) { try reader.spool() }
        #expect(error?.code == .source)
        #expect(error?.underlying is Broken)
    }
}

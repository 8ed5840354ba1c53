import Foundation
import HTTPMessages
import RequestModel
import Synchronization
import Testing

@Suite struct RequestBodyElementsTests {
    private struct Item: Encodable, Sendable {
        let id: Int
        var name = "a\nb"
    }

    /// Values as they are asked for, which are counted.
    private struct Counted: AsyncSequence, Sendable {
        final class Log: Sendable {
            let count = Mutex(0)
        }

        let log = Log()
        let limit: Int

        struct Iterator: AsyncIteratorProtocol {
            let sequence: Counted
            var next = 0

            mutating func next() async -> Int? {
                guard next < sequence.limit else { return nil }
                next += 1
                sequence.log.count.withLock { $0 += 1 }
                return next
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }
    }

    private func text(_ body: RequestBody) async throws -> String {
        String(decoding: try await body.content.collect(), as: UTF8.self)
    }

    @Test func `each value is a line, also with pretty settings`() async throws {
        let body = RequestBody.ndjson(
            [Item(id: 1), Item(id: 2)], coding: JSONCoding { $0.format = [.pretty, .sortedKeys] })
        #expect(body.mediaType?.essence == "application/x-ndjson")
        let expected = #"{"id":1,"name":"a\nb"}"# + "\n" + #"{"id":2,"name":"a\nb"}"# + "\n"
        // Replayable: each attempt iterates again.
        #expect(body.content.isReplayable)
        for _ in 0..<2 { #expect(try await text(body) == expected) }
        #expect(try await text(.ndjson([Int]())) == "")
    }

    // RFC 7464, section 2.2.
    @Test func `each text of a sequence stands between a record separator and a line feed`() async throws {
        let body = RequestBody.jsonSequence([[1], []])
        #expect(body.mediaType?.essence == "application/json-seq")
        #expect(try await text(body) == "\u{1E}[1]\n\u{1E}[]\n")
        #expect(try await text(.jsonSequence(Counted(limit: 2))) == "\u{1E}1\n\u{1E}2\n")
    }

    @Test func `values as they are made are asked for one at a time`() async throws {
        let values = Counted(limit: 1000)
        let body = RequestBody.ndjson(values)
        #expect(!body.content.isReplayable)
        var chunks = body.content.chunks().makeAsyncIterator()
        #expect(values.log.count.withLock(\.self) == 0)
        #expect(try await chunks.next() == Data("1\n".utf8))
        #expect(try await chunks.next() == Data("2\n".utf8))
        #expect(values.log.count.withLock(\.self) == 2)
    }

    @Test func `pieces of any size give the same bytes`() throws {
        let body = RequestBody.ndjson(1...200)
        let expected = (1...200).map { "\($0)\n" }.joined()
        for size in [1, 7, 100, 10_000] {
            let reader = try #require(try body.content.makeReader())
            var bytes = Data()
            while let piece = try reader.read(atMost: size) {
                #expect((1...size).contains(piece.count))
                bytes.append(piece)
            }
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
        }
    }

    // Else each piece would copy the rest of its element, which is quadratic.
    @Test func `pieces of a large element are parts of its bytes, not copies`() throws {
        let body = RequestBody.ndjson([String(repeating: "a", count: 300_000), String(repeating: "b", count: 10)])
        let reader = try #require(try body.content.makeReader())
        var (bytes, ends) = (Data(), [UInt]())
        for _ in 0..<3 {
            let piece = try #require(try reader.read(atMost: 65_536))
            #expect(piece.count == 65_536)
            bytes.append(piece)
            piece.withUnsafeBytes { buffer in
                let start = UInt(bitPattern: buffer.baseAddress)
                if let end = ends.last { #expect(start == end) }
                ends.append(start + UInt(buffer.count))
            }
        }
        while let piece = try reader.read(atMost: 65_536) { bytes.append(piece) }
        let expected = [("a", 300_000), ("b", 10)].map { "\"\(String(repeating: $0, count: $1))\"\n" }.joined()
        #expect(bytes == Data(expected.utf8))
    }

    @Test func `a value that cannot be encoded is an error without the value`() async throws {
        let error = await #expect(throws: HTTPMessageError.self) { try await text(.ndjson([1, .infinity])) }
        #expect(error?.code == .invalidJSON)
    }

    @Test func `cells are quoted where RFC 4180 asks for it`() async throws {
        let rows: [[String?]] = [
            ["1", "plain"], ["a,b", "say \"x\""], ["line\r\nbreak", nil], [" outer", ""], ["\u{E4}", "a;b"],
        ]
        let body = RequestBody.csv(header: ["id", "the \"name\""], rows: rows) { $0 }
        #expect(body.mediaType?.description == "text/csv; charset=utf-8" || body.mediaType?.essence == "text/csv")
        let expected =
            "id,\"the \"\"name\"\"\"\r\n1,plain\r\n\"a,b\",\"say \"\"x\"\"\"\r\n\"line\r\nbreak\",\r\n\" outer\",\r\n"
            + "\u{E4},a;b\r\n"
        for _ in 0..<2 { #expect(try await text(body) == expected) }
    }

    @Test func `separator and byte order mark are options`() async throws {
        let format = CSVFormat(separator: .semicolon, hasByteOrderMark: true)
        #expect(try await text(.csv(rows: [["a;b", "c,d"]], format: format) { $0 }) == "\u{FEFF}\"a;b\";c,d\r\n")
        let tabs = RequestBody.csv(rows: [["a\tb", "c"]], format: CSVFormat(separator: .tab)) { $0 }
        #expect(try await text(tabs) == "\"a\tb\"\tc\r\n")
        #expect(tabs.mediaType?.essence == "text/tab-separated-values")
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+CMD", "'+CMD"), ("@SUM(A1)", "'@SUM(A1)"), ("-2+3", "'-2+3"), ("-12.5", "-12.5"),
        ("+1e3", "+1e3"), ("-nan", "'-nan"), ("-inf", "'-inf"), ("\tx", "'\tx"), (" =1", "' =1"),
        ("\u{FF1D}1", "'\u{FF1D}1"), ("a=1", "a=1"), ("", "\"\""), ("=A1,\"x\"", "\"'=A1,\"\"x\"\"\""),
    ])
    func `formulas are guarded as an option`(cell: String, line: String) async throws {
        let guarded = RequestBody.csv(rows: [cell], format: CSVFormat(guardsFormulas: true)) { [$0] }
        let body = try await text(guarded)
        #expect(body == line + "\r\n")
        let plain = try await text(.csv(rows: [cell]) { [$0] })
        #expect(!plain.contains("'"))
    }

    @Test func `a row with another number of cells is an error with its number`() async throws {
        let error = await #expect(throws: HTTPMessageError.self) {
            try await text(.csv(header: ["a", "b"], rows: [["1", "2"], ["3"]]) { $0 })
        }
        #expect(error?.code == .invalidRow)
        #expect(error?.message.hasPrefix("Row 2 has 1 cells, but the table has 2 columns") == true)
        await #expect(throws: HTTPMessageError.self) { try await text(.csv(rows: [["1"], ["2", "3"]]) { $0 }) }
    }

    @Test func `rows as they are made are asked for one at a time`() async throws {
        let rows = Counted(limit: 1000)
        var chunks = RequestBody.csv(header: ["n"], rows: rows) { ["\($0)"] }.content.chunks().makeAsyncIterator()
        #expect(try await chunks.next() == Data("n\r\n".utf8))
        #expect(rows.log.count.withLock(\.self) == 0)
        #expect(try await chunks.next() == Data("1\r\n".utf8))
        #expect(rows.log.count.withLock(\.self) == 1)
    }
}

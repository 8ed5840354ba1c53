import Foundation
import JSON
import PatchbayTestKit
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

@Suite struct RowStreamParserTests {
    @Test func `duplicate column names are rejected`() throws {
        let error = #expect(throws: DeltaError.self) { _ = try RowStreamParser(columns: ["a", "b", "a"]) }
        #expect(error?.code == .duplicateColumn)
        #expect(error?.message.contains("a") == true)
        // JSON names are compared bytewise.
        _ = try RowStreamParser(columns: ["a", "A", "\u{E9}", "e\u{301}"])
    }

    @Test(
        arguments: [
            ("0", 0), ("-1", -1), ("true", 1), ("false", 0), ("null", nil), (" 7\t", 7),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9007199254740993", .integer(9_007_199_254_740_993)), ("999999999999999999", 999_999_999_999_999_999),
            ("9223372036854775808", .real(0x1p63)), ("-9223372036854775809", .real(-0x1p63)),
            ("18446744073709551616", .real(0x1p64)), ("123456789012345678901234567890", .real(1.2345678901234568e29)),
            ("-0", .real(-0.0)), ("1.0", .real(1)), ("0.1", .real(0.1)), ("1e2", .real(100)), ("1E+2", .real(100)),
            ("12.5e-1", .real(1.25)), ("1e22", .real(1e22)), ("1e23", .real(1e23)), ("1e-22", .real(1e-22)),
            ("9007199254740993e3", .real(9007199254740993e3)), ("0.30000000000000004", .real(0.30000000000000004)),
            ("1.7976931348623157e308", .real(.greatestFiniteMagnitude)), ("5e-324", .real(.leastNonzeroMagnitude)),
            ("1e-400", .real(0)), ("1e-99999999999999999999", .real(0)), ("0e99999999999999999999", .real(0)),
            ("0.000000000000000000000000000000000001", .real(1e-36)),
            ("2.2250738585072011e-308", .real(.leastNormalMagnitude.nextDown)),
            (#""""#, ""), (#""ä😀\u00e4\ud83d\ude00\/\b\f\n\r\t\"\\""#, "ä😀ä😀/\u{8}\u{C}\n\r\t\"\\"),
            (#""\u0000 and 12345678""#, "\0 and 12345678"),
            (#""\u007f\u0080\u07ff\u0800\uffff""#, "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}"),
            (
                "\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"",
                "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}"
            ),
            (#"[1, "a\u0041" ]"#, #"[1, "a\u0041" ]"#), (#"{"x":{},"x":[]}"#, #"{"x":{},"x":[]}"#), ("[ ]", "[ ]"),
        ] as [(String, StoreValue)])
    func `cells of every kind`(text: String, value: StoreValue) throws {
        for chunkSize in [1, 2, 5, 1000] {
            let read = try ReadRows(Data("[{\"a\":\(text)},{\"a\":\(text),\"b\":1}]".utf8), chunkSize: chunkSize)
            try #require(read.isComplete, "\(read.message ?? "")")
            #expect(read.rows.count == 2)
            // -0 equals 0, so the sign is compared separately.
            #expect(read.rows.allSatisfy { $0[0] == value && $0[0].isNegative == value.isNegative }, "\(read.rows)")
        }
    }

    private static let faults =
        [
            ("", 0, .truncated), ("  ", 2, .truncated), ("[", 1, .truncated), ("[ {", 3, .truncated),
            ("{}", 0, .malformed),
            ("[1]", 1, .malformed), ("[{}", 3, .truncated), ("[{},", 4, .truncated), ("[{},]", 4, .malformed),
            ("[,{}]", 1, .malformed), ("[{}{}]", 3, .malformed), ("[{}]]", 4, .malformed), ("[{}] x", 5, .malformed),
            ("[{}]\0", 4, .malformed), ("[{\"a\" 1}]", 6, .malformed), ("[{\"a\":1,}]", 8, .malformed),
            ("[{a:1}]", 2, .malformed),
            ("[{\"a\":}]", 6, .malformed), ("[{\"a\":01}]", 7, .malformed), ("[{\"a\":-}]", 7, .malformed),
            ("[{\"a\":1.}]", 8, .malformed),
            ("[{\"a\":1.e1}]", 8, .malformed), ("[{\"a\":1e}]", 8, .malformed), ("[{\"a\":.5}]", 6, .malformed),
            ("[{\"a\":+1}]", 6, .malformed),
            ("[{\"a\":1e400}]", 6, .malformed), ("[{\"a\":-1e400}]", 6, .malformed),
            ("[{\"a\":[1e400]}]", 7, .malformed),
            ("[{\"a\":1x}]", 7, .malformed), ("[{\"a\":0x1}]", 7, .malformed), ("[{\"a\":NaN}]", 6, .malformed),
            ("[{\"a\":tru}]", 9, .malformed),
            ("[{\"a\":nulL}]", 9, .malformed), ("[{\"a\":\"\u{1}\"}]", 7, .malformed),
            ("[{\"a\":\"\0\"}]", 7, .malformed),
            ("[{\"a\":\"1234567\u{1F}\"}]", 14, .malformed), (#"[{"a":"\x"}]"#, 8, .malformed),
            (#"[{"a":"\ud83d"}]"#, 13, .malformed),
            (#"[{"a":"\ude00"}]"#, 9, .malformed), (#"[{"a":"\ud83d\u0041"}]"#, 15, .malformed),
            (#"[{"a":"\u12g4"}]"#, 11, .malformed),
            ("[{\"a\":\"x", 8, .truncated), ("[{\"a\":\"\\", 8, .truncated), ("[{\"a\":12", 8, .truncated),
            ("[{\"a\":tr", 8, .truncated),
            ("[{\"d\":1}]", 2, .unknownColumn), ("[{\"aa\":1}]", 2, .unknownColumn), ("[{\"\":1}]", 2, .unknownColumn),
            ("[{\"A\":1}]", 2, .unknownColumn), ("[{\"a\":1,\"a\":2}]", 8, .duplicateColumn),
            ("[{\"a\":null,\"a\":2}]", 11, .duplicateColumn),
            ("[{\"\\u0061\":1,\"a\":2}]", 13, .duplicateColumn), ("\u{FEFF}[]", 0, .malformed),
            ("[/**/]", 1, .malformed),
            ("[{\"a\":[1,]}]", 9, .malformed), ("[{\"a\":{\"x\"}}]", 10, .malformed),
            ("[{\"a\":{\"x\":1,}}]", 13, .malformed), ("[{\"a\":[1 2]}]", 9, .malformed),
        ] as [(String, Int, DeltaError.Code)]

    @Test func `errors have an offset, however the stream is split`() throws {
        for (text, offset, code) in Self.faults {
            for chunkSize in [1, 2, 3, 1000] {
                let read = try ReadRows(Data(text.utf8), chunkSize: chunkSize)
                #expect(read.code == code, "\(text): \(read.message ?? "")")
                #expect(read.offset == offset, "\(text): \(read.message ?? "")")
            }
        }
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xED, 0xA0, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
            [0xC3, 0x28],
        ] as [[UInt8]])
    func `invalid UTF-8 is rejected`(bytes: [UInt8]) throws {
        for prefix in ["", "x", "1234567", "\\n", "ä"] {
            for wrap in ["\"", "[\""] {
                let stream = Data("[{\"a\":\(wrap)\(prefix)".utf8) + Data(bytes) + Data("\"}]".utf8)
                for chunkSize in [1, 1000] {
                    #expect(try ReadRows(stream, chunkSize: chunkSize).code == .malformed)
                }
            }
        }
        #expect(try ReadRows(Data("[{\"".utf8) + Data(bytes) + Data("\":1}]".utf8)).code == .malformed)
    }

    @Test func `columns come in any order, and missing ones are null`() throws {
        let read = try ReadRows(
            #"[{"a":1,"b":2,"c":3},{"c":3,"b":2,"a":1},{"c":3,"a":1},{},{"b":2},{"\u0062":2,"c":3},{"a":1,"b":2,"c":3}]"#
        )
        #expect(read.isComplete)
        #expect(
            read.rows == [
                [1, 2, 3], [1, 2, 3], [1, nil, 3], [nil, nil, nil], [nil, 2, nil], [nil, 2, 3], [1, 2, 3],
            ])
    }

    @Test func `member names are unescaped`() throws {
        let columns = [#"a""#, #"b\"#, "ä", "line\nbreak", ""]
        let read = try ReadRows(
            #"[{"a\"":1,"b\\":2,"\u00e4":3,"line\nbreak":4,"":5},{"a\"":1,"ä":3}]"#, columns: columns)
        #expect(read.rows == [[1, 2, 3, 4, 5], [1, nil, 3, nil, nil]])
        #expect(try ReadRows(#"[{"a"":1}]"#, columns: columns).code == .malformed)
    }

    @Test func `unknown columns can be ignored`() throws {
        let stream = Data(#"[{"x":[1,{"y":"\n"}],"a":1,"z":null,"b":2,"z":3}]"#.utf8)
        for chunkSize in [1, 1000] {
            #expect(try ReadRows(stream, chunkSize: chunkSize, ignoring: true).rows == [[1, 2, nil]])
        }
        #expect(try ReadRows(Data(#"[{"x":tru}]"#.utf8), ignoring: true).code == .malformed)
    }

    @Test func `rows can be lists`() throws {
        func read(_ text: String) throws -> ReadRows { try ReadRows(Data(text.utf8), chunkSize: 3, shape: .lists) }
        #expect(try read(#"[[1,"x",null], [ 2 , 3 , [4] ] ]"#).rows == [[1, "x", nil], [2, 3, "[4]"]])
        for wrong in ["[[]]", "[[1,2]]", "[[1,2,3,4]]", "[[1,2,3,]]", "[[1,,3]]", "[{}]", "[[1,2,3]"] {
            #expect(try read(wrong).rows.isEmpty == (wrong != "[[1,2,3]"))
            #expect(try read(wrong).code != nil, "\(wrong)")
        }
    }

    @Test func `rows have a maximum length, however they are split`() throws {
        let row = #"{"a":"0123456789"}"#
        let stream = Data("[\(row)   ,   \(row), {\"a\":\"0123456789+\"}, {}]".utf8)
        for chunkSize in [1, 2, 7, 20, 1000] {
            #expect(try ReadRows(stream, chunkSize: chunkSize, maximumRowLength: row.count + 1).rows.count == 4)
            let read = try ReadRows(stream, chunkSize: chunkSize, maximumRowLength: row.count)
            #expect(read.rows.count == 2)
            #expect(read.code == .rowTooLarge)
            #expect(read.offset == 1 + 2 * row.count + 9)
        }
        // An error before the limit is reported, even if the invalid text continues beyond it.
        let zeros = Data("[{\"a\":[\(String(repeating: "0", count: 100))]}]".utf8)
        for chunkSize in [1, 3, 1000] {
            #expect(try ReadRows(zeros, chunkSize: chunkSize, maximumRowLength: 64).code == .malformed)
        }
        // An error beyond the limit is reported as a row that is too large.
        let faulty = Data("[{\"a\":\"01234567890123456789\u{1}".utf8)
        for chunkSize in [1, 3, 1000] {
            #expect(try ReadRows(faulty, chunkSize: chunkSize, maximumRowLength: 10).code == .rowTooLarge)
        }
    }

    @Test func `nesting has a limit`() throws {
        let depth = JSONScanner.maximumDepth
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func read(_ count: Int) throws -> ReadRows {
                let cell = String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
                return try ReadRows("[{\"a\":\(cell)}]")
            }
            #expect(try read(depth).rows.count == 1)
            #expect(try read(depth + 1).code == .malformed)
            #expect(try ReadRows("[{\"a\":" + String(repeating: open, count: 1_000_000)).code == .malformed)
        }
    }

    @Test func `every split of a stream gives the same rows`() throws {
        let stream = Data(
            #" [ {"a": 1.25e3 , "b":"ä\ud83d\ude00\n","c":null} , {"c":[1,{"x":"]"}],"a":-9223372036854775808,"b":true}, {} ] "#
                .utf8)
        let whole = try ReadRows(stream)
        #expect(whole.rows.count == 3)
        for chunkSize in [Array(1...stream.count), [64, 4096, 65536]].joined() {
            #expect(try ReadRows(stream, chunkSize: chunkSize) == whole)
        }
    }

    @Test func `truncation is an error at every byte`() throws {
        let stream = Data(#"[{"a":12,"b":"ä\u00e4"},{"c":[true]}]"#.utf8)
        for count in 0..<stream.count {
            let read = try ReadRows(stream.prefix(count), chunkSize: 3)
            #expect(read.code == .truncated)
            #expect(read.offset == count)
        }
    }

    @Test(arguments: [
        ("[{\"shade\":1}]", "Unknown column \"shade\" at byte 2: expected a column of the table."),
        ("[{\"a\":1,\"a\":2}]", "Duplicate column \"a\" at byte 8: expected each column at most once in a row."),
        (#"[{"x\"y":1}]"#, #"Unknown column "x\"y" at byte 2: expected a column of the table."#),
    ])
    func `errors name columns`(text: String, message: String) throws {
        for chunkSize in [1, 1000] {
            #expect(try ReadRows(Data(text.utf8), chunkSize: chunkSize).message == message)
        }
        let long = try ReadRows("[{\"\(String(repeating: "x", count: 5000))\":1}]")
        #expect(long.message?.hasPrefix("Unknown column \"\(String(repeating: "x", count: 80))…\" at") == true)
        let wide = try ReadRows("[{\"x\(String(repeating: "ä", count: 99))\":1}]")
        #expect(wide.message?.hasPrefix("Unknown column \"x\(String(repeating: "ä", count: 79))…\" at") == true)
    }

    @Test func `errors contain no values`() throws {
        for text in [
            "sesame", "[{\"a\":sesame}]", "[{\"a\":\"sesame", "[{\"a\":\"\\sesame\"}]",
            "[{\"a\":1,\"a\":\"sesame\"}]",
        ] {
            let read = try ReadRows(text)
            #expect(read.message?.contains("sesame") == false)
        }
    }

    @Test func `tiny chunks of a large row do not cause quadratic work`() throws {
        let cell = String(repeating: "0123456789abcdef", count: 20_000)
        let read = try ReadRows(Data("[{\"a\":\"\(cell)\"}]".utf8), chunkSize: 1)
        #expect(read.rows == [[.text(cell), nil, nil]])
    }

    @Test(.enabled(if: Corpora.canUnpack("json-parsing.tar.xz"), "JSONTestSuite, tar or xz is not here"))
    func `JSONTestSuite texts are accepted or rejected as cells`() async throws {
        let files = try await Corpora.unpack("json-parsing.tar.xz").filter { $0.key.hasSuffix(".json") }
        #expect(files.count > 300)
        for (name, data) in files {
            for (before, after) in [("[{\"a\":", "}]"), ("[{\"a\":[0,", "]}]"), ("[{\"b\":{\"x\":", "}}]")] {
                let stream = Data(before.utf8) + data + Data(after.utf8)
                let read = try ReadRows(stream)
                if name.hasPrefix("y_") { #expect(read.isComplete, "\(name)") }
                if name.hasPrefix("n_") { #expect(!read.isComplete, "\(name)") }
                for chunkSize in stream.count < 1000 ? [1, 3, 64] : [4096] {
                    #expect(try ReadRows(stream, chunkSize: chunkSize) == read, "\(name)")
                }
            }
        }
    }
}

extension StoreValue {
    fileprivate var isNegative: Bool { if case .real(let value) = self { value.sign == .minus } else { false } }
}

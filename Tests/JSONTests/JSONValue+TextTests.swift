import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import JSON

@Suite(.needsSlot) struct JSONValueTextTests {
    @Test(.enabled(if: Corpora.canUnpack("json-parsing.tar.xz"), "JSONTestSuite, tar or xz is not here"))
    func `JSONTestSuite passes`() async throws {
        let files = try await Corpora.unpack("json-parsing.tar.xz").filter { $0.key.hasSuffix(".json") }
        #expect(files.count > 300)
        for (name, data) in files {
            let value = try? JSONValue(parsing: data)
            if name.hasPrefix("y_") { #expect(value != nil, "\(name)") }
            if name.hasPrefix("n_") { #expect(value == nil, "\(name)") }
            if let value { #expect(try JSONValue(parsing: value.data()) == value, "\(name)") }
        }
    }

    @Test(
        arguments: [
            ("0", .integer(0)), ("-1", .integer(-1)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("-9223372036854775809", .number(-9_223_372_036_854_775_808)), ("18446744073709551616", .number(0x1p64)),
            ("1.0", .number(1)), ("1e2", .number(100)), ("1E+2", .number(100)), ("-0", .number(-0.0)),
            ("5e-324", .number(.leastNonzeroMagnitude)),
            ("1e-400", .number(0)), ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
            (" true\n", .bool(true)),
            ("null", .null), (#""\u00e4\ud83d\ude00\/\b\f\n\r\t\"\\""#, .string("ä😀/\u{8}\u{C}\n\r\t\"\\")),
            (#"{"a":1,"a":2}"#, .object(["a": 2])), ("[ ]", .array([])), ("{ }", .object([:])),
            (#""\u0000""#, .string("\0")),
        ] as [(String, JSONValue)])
    func `values are parsed`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(arguments: [
        ("9223372036854775808", true), ("-9223372036854775809", true), ("0.123456789012345678", true),
        ("1234567890.12345678e5", true), ("9223372036854775807", false), ("0.30000000000000004", false),
        ("0.00012345678901234567", false), ("1.0000000000000000000000", false), ("1e30", false), ("100", false),
        ("90071992547409.93", true), ("90071992547409.94", false), ("-9007199254740993.0", true),
        ("100000000000000.01", true), ("12345678901234567e2", true), ("12345678901234568e2", false),
        ("10000000000000000e2", false), ("9300000000000000000", true), ("0.000000000000000000", false), ("-0", false),
        ("0.3000000000000000", false), ("-1.2345678901234567e-30", false), ("123456789012345678.0", true),
        // More digits than the shortest form of 0.1, and of the least number.
        ("0.10000000000000001", false), ("4.9406564584124654e-324", false), ("1234567.8901234567", false),
    ])
    func `numbers with more digits than a number can hold are strings if they are to be kept`(
        text: String, isString: Bool
    ) throws {
        let value = try JSONValue(parsing: Data("[\(text)]".utf8), keepingLongNumbers: true)[0]
        #expect(try value == (isString ? .string(text) : JSONValue(parsing: text)))
        #expect(try JSONValue(parsing: text).string == nil)
    }

    @Test func `minus zero is preserved`() throws {
        for text in ["-0", "-0.0", "-0e3"] {
            #expect(try JSONValue(parsing: text).double?.sign == .minus)
            #expect(try JSONValue(parsing: JSONValue(parsing: text).data()).double?.sign == .minus)
        }
    }

    @Test(arguments: [
        ("", 0), ("  ", 2), ("[1,]", 3), ("[1 2]", 3), ("{\"a\" 1}", 5), ("{a:1}", 1), ("01", 1), ("-", 1), ("1.", 2),
        ("1e", 2), (".5", 0), ("+1", 0), ("tru", 3), ("nulL", 3), ("\"a", 2), ("\"\u{1}\"", 1), (#""\x""#, 2),
        (#""\ud83d""#, 7), (#""\ude00""#, 3), (#""\ud83d\u0041""#, 9), (#""\u12g4""#, 5), ("[1]]", 3), ("1e999", 0),
        ("{\"a\":1,}", 7), ("\u{FEFF}1", 0), ("[", 1), ("\"\\", 2), ("/**/1", 0), ("NaN", 0),
    ])
    func `errors have the byte offset`(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .invalidSyntax)
        #expect(error?.message.contains("at byte \(offset):") == true, "\(error?.message ?? "")")
    }

    @Test(
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC3]]
            as [[UInt8]])
    func `invalid UTF-8 is rejected`(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: Data(bytes)) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: Data([0x5B] + bytes + [0x5D])) }
    }

    @Test func `the error does not quote the input`() {
        for text in ["sesame", "\"sesame", "{\"sesame\" sesame", "\"\\sesame\""] {
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error.map { "\($0) \(String(reflecting: $0))".contains("sesame") } == false)
        }
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")])
    func `the depth limit holds on a small stack`(open: String, close: String) {
        let perRound = open.filter { "[{".contains($0) }.count
        let rounds = JSONScanner.maximumDepth / perRound
        func text(_ rounds: Int) -> String {
            String(repeating: open, count: rounds) + "0" + String(repeating: close, count: rounds)
        }
        let (deepest, tooDeep) = (text(rounds), text(rounds + 1))
        let hostile = String(repeating: open, count: 100_000)
        let holds = onSmallThread {
            guard let value = try? JSONValue(parsing: deepest), let data = try? value.data() else { return false }
            guard (try? JSONValue(parsing: data)) == value, value.description == deepest else { return false }
            return Set([value]).contains(value) && (try? JSONValue(parsing: tooDeep)) == nil
                && (try? JSONValue(parsing: hostile)) == nil
        }
        #expect(holds)
    }

    @Test func `a data slice is parsed from its start index`() throws {
        #expect(try JSONValue(parsing: Data("xx[1]".utf8).dropFirst(2)) == [1])
    }

    @Test func `corrupted input is parsed or rejected without a crash`() throws {
        var generator = SeededGenerator(seed: 11)
        let whole = Array(#"{"a":[1,-2.5e3,"\u00e4\n",true,null,{"b":{}}],"ü":""}"#.utf8)
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0..<4, using: &generator))
            if let value = try? JSONValue(parsing: Data(bytes)) {
                #expect(try JSONValue(parsing: value.data()) == value)
            }
        }
    }
}

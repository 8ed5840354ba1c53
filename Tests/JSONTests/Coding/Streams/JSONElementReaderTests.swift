import Foundation
import PatchbayTestKit
import Testing

@testable import JSON

// Behavior 5: elements of an array, one at a time.
@Suite struct JSONElementReaderTests {
    /// The elements and the error that end the reading, or the last one.
    private func read<Element: Decodable>(
        _ type: Element.Type, _ chunks: [Data], at path: [String] = [], maximumLength: Int = 1 << 20
    ) -> (elements: [Element], failures: [String]) {
        var reader = JSONElementReader(type, path: path, coding: .standard, maximumLength: maximumLength)
        var elements: [Element] = []
        var failures: [String] = []
        func drain() {
            while true {
                do {
                    guard let element = try reader.next() else { return }
                    elements.append(element)
                } catch {
                    switch error {
                    case .syntax(let error): failures.append(error.message)
                    case .noArray(let keys, let isMissing, let location):
                        failures.append(
                            "\(keys.map(\.stringValue)) \(isMissing ? "missing" : "wrong") at \(location.offset)")
                    case .tooLong(let location): failures.append("too long at \(location.offset)")
                    case .element(_, let keys, let location):
                        failures.append(
                            "\(keys.map(\.stringValue).joined(separator: "/")) at \(location.offset), "
                                + "\(location.line):\(location.column)")
                    }
                }
            }
        }
        for chunk in chunks {
            reader.push(chunk)
            drain()
        }
        reader.finish()
        drain()
        return (elements, failures)
    }

    private func chunks(_ text: String, of size: Int) -> [Data] {
        let data = Data(text.utf8)
        return stride(from: 0, to: data.count, by: size).map { data[$0..<min($0 + size, data.count)] }
    }

    private static let texts: [(String, [String])] = [
        (#"[{"x":1},{"x":2,"name":"\"]},\\"},{"x":3}]"#, []), ("[]", []), (" [ ] ", []), ("\u{FEFF}[{\"x\":1}]", []),
        (#"{"data":{"results":[{"x":1},{"x":2}],"next":null},"rest":[1,{"a":[]}]}"#, ["data", "results"]),
        (
            #"{"a":[{"results":[]}],"d\u0061ta":{"x":{"results":1},"results":[{"x":5}]},"data":{"results":[{"x":6}]}}"#,
            ["data", "results"]
        ),
        (
            #"{"skip":"\ud83d\ude00 ä","n":-1.5e3,"t":true,"list":[{"x":1,"y":0.5,"name":"é"}] , "z":{"list":3}}"#,
            ["list"]
        ),
    ]

    @Test func `elements are the same for chunks of any size`() {
        for (text, path) in Self.texts {
            let whole = read(Point.self, [Data(text.utf8)], at: path)
            #expect(whole.failures.isEmpty, "\(text)")
            for size in 1...9 {
                let parts = read(Point.self, chunks(text, of: size), at: path)
                #expect(parts.elements == whole.elements && parts.failures.isEmpty, "\(text) in chunks of \(size)")
            }
        }
        #expect(read(Point.self, [Data(Self.texts[5].0.utf8)], at: ["data", "results"]).elements == [Point(x: 5)])
    }

    @Test func `scalars and arrays are elements too`() {
        for size in 1...4 {
            #expect(read(Int.self, chunks("[1,22 ,333\n,0]", of: size)).elements == [1, 22, 333, 0])
            #expect(read(String.self, chunks(#"["a","b\"]","","\\"]"#, of: size)).elements == ["a", "b\"]", "", "\\"])
            #expect(read([Int].self, chunks("[[1,2],[],[3]]", of: size)).elements == [[1, 2], [], [3]])
            #expect(read(Bool?.self, chunks("[true,null,false]", of: size)).elements == [true, nil, false])
        }
    }

    @Test(arguments: [
        ("[1,2", "Invalid JSON at byte 4: unexpected end, expected a comma or ].", 2),
        ("[1,2,", "Invalid JSON at byte 5: unexpected end, expected a value.", 2),
        ("[1,2]x", "Invalid JSON at byte 5: expected the end of the JSON text.", 2),
        ("[1 2]", "Invalid JSON at byte 3: expected a comma or ].", 1),
        ("[1,]", "Invalid JSON at byte 3: expected a value.", 1),
        ("", "Invalid JSON at byte 0: unexpected end, expected a value.", 0),
        ("[01]", "Invalid JSON at byte 2: expected a number without leading zeros.", 0),
        ("{}", "[] wrong at 0", 0), ("7", "[] wrong at 0", 0), ("null", "[] wrong at 0", 0),
        ("[\u{1}]", "Invalid JSON at byte 1: expected a value.", 0),
    ])
    func `what is invalid is an error after the elements before it`(text: String, message: String, count: Int) {
        for size in [1, 2, 100] {
            let result = read(Int.self, chunks(text, of: size))
            #expect(result.elements.count == count && result.failures == [message], "in chunks of \(size)")
        }
    }

    @Test(arguments: [
        (#"{"a":1}"#, ["a"], #"["a"] wrong at 5"#), (#"{"b":1}"#, ["a"], #"["a"] missing at 7"#),
        (#"{"a":{}}"#, ["a", "b"], #"["a", "b"] missing at 7"#), (#"{"a":[]}"#, ["a", "b"], #"["a"] wrong at 5"#),
        ("[]", ["a"], "[] wrong at 0"), ("{}", ["a"], #"["a"] missing at 2"#),
    ])
    func `a path that leads to no array is an error`(text: String, path: [String], failure: String) {
        for size in [1, 3, 100] {
            let result = read(Int.self, chunks(text, of: size), at: path)
            #expect(result.failures == [failure] && result.elements.isEmpty, "\(size)")
        }
    }

    @Test func `what comes after the array is checked`() {
        for text in [
            #"{"a":[1],"b":}"#, #"{"a":[1],"b":[1,}}"#, #"{"a":[1]"#, #"{"a":[1]}}"#, #"{"a":[1],"b":"\x"}"#,
            #"{"a":[1] "b":1}"#,
        ] {
            for size in [1, 4, 100] {
                let result = read(Int.self, chunks(text, of: size), at: ["a"])
                #expect(result.elements == [1] && result.failures.count == 1, "\(text)")
            }
        }
    }

    @Test func `an element of another type is an error with its place, and the next one follows`() {
        let text = "{\"list\":[{\"x\":1},\n{\"x\":\"a\"},\n 7,{\"x\":4}]}"
        for size in [1, 5, 100] {
            let result = read(Point.self, chunks(text, of: size), at: ["list"])
            #expect(result.elements == [Point(x: 1), Point(x: 4)])
            #expect(result.failures == ["list/Index 1 at 23, 2:6", "list/Index 2 at 30, 3:2"])
        }
    }

    @Test func `an element has a maximum length, for chunks of any size`() {
        let text = "[\"aaaa\",\"\(String(repeating: "b", count: 50))\",\"c\"]"
        for size in [1, 7, 100] {
            let result = read(String.self, chunks(text, of: size), maximumLength: 20)
            #expect(result.elements == ["aaaa"])
            #expect(result.failures == ["too long at 8"])
        }
        let long = "{\"a\":\"\(String(repeating: "b", count: 100))\",\"list\":[1]}"
        #expect(read(Int.self, chunks(long, of: 8), at: ["list"], maximumLength: 20).failures == ["too long at 5"])
    }

    @Test func `long elements in small chunks take linear time`() {
        let text =
            "[\"" + String(repeating: "a\\n", count: 200_000) + "\",[" + String(repeating: "1,", count: 100_000) + "1]]"
        let result = read(Anything.self, chunks(text, of: 64), maximumLength: 1 << 20)
        #expect(result.elements.count == 2 && result.failures.isEmpty)
    }

    @Test func `long strings, names and blanks outside of the array take linear time`() {
        let long = String(repeating: "a\\n", count: 200_000)
        let blanks = String(repeating: " \n", count: 200_000)
        let text =
            "{\"a\":\"\(long)\",\"\(long)\"\(blanks):\(blanks)0.\(String(repeating: "1", count: 600_000))\(blanks),"
            + "\"list\":[1,\"a\",2],\"\(long)\":[\"\(long)\",{\"\(long)\":\"\(long)\"}]}"
        let result = read(Int.self, chunks(text, of: 64), at: ["list"])
        #expect(result.elements == [1, 2] && result.failures.count == 1)
        #expect(result.failures == read(Int.self, [Data(text.utf8)], at: ["list"]).failures)
        // Not an array at the end of the path.
        let wrong = read(Int.self, chunks("{\"list\":\"\(long)\"}", of: 64), at: ["list"])
        #expect(wrong.failures == ["[\"list\"] wrong at 8"])
    }

    @Test func `many elements of another type take linear time`() {
        let text = "[" + String(repeating: "1,\n", count: 100_000) + "1]"
        for size in [1 << 20, 1000] {
            let failures = read(Point.self, chunks(text, of: size)).failures
            #expect(failures.count == 100_001 && failures.last == "Index 100000 at 300001, 100001:1")
        }
    }

    /// Its error has a place in another text.
    private struct TextInText: Decodable {
        init(from decoder: any Decoder) throws {
            _ = try JSONCoding.standard.decode(Int.self, from: String(repeating: " ", count: 1000))
        }
    }

    @Test func `the place of an error of another text is within the element`() {
        let text = #"["x","a",   7]"#
        #expect(
            read(TextInText.self, [Data(text.utf8)]).failures
                == ["Index 0 at 4, 1:5", "Index 1 at 8, 1:9", "Index 2 at 13, 1:14"])
    }

    @Test func `deep nesting is an error inside and outside of the array`() {
        let deep = String(repeating: "[", count: 1000)
        #expect(read(Anything.self, chunks("[\(deep)", of: 100)).failures.count == 1)
        #expect(read(Anything.self, chunks("{\"a\":\(deep)", of: 100), at: ["b"]).failures.count == 1)
    }

    @Test func `mutated texts give the same in one chunk and in many`() {
        var random = RandomJSON(seed: 11)
        for _ in 0..<2000 {
            let data = random.mutated(
                "{\"a\":\(random.value()),\"list\":[\(random.value()),\(random.value())],\"b\":\(random.value())}")
            let whole = read(Anything.self, [data], at: ["list"])
            let parts = read(Anything.self, data.map { Data([$0]) }, at: ["list"])
            #expect(whole.elements == parts.elements, "\(String(decoding: data, as: UTF8.self))")
            #expect(whole.failures.isEmpty == parts.failures.isEmpty, "\(String(decoding: data, as: UTF8.self))")
            // Accepted texts are valid JSON.
            if whole.failures.isEmpty { #expect(GrammarCheck.accepts(data)) }
        }
    }
}

import Testing

@testable import JSON

@Suite struct JSONScannerTests {
    /// Scans a text with its padding.
    private func scan<Result>(
        _ text: String, isPartial: Bool = false, maximumLength: Int = .max,
        _ body: (inout JSONScanner) throws(JSONScanner.Stop) -> Result
    ) throws -> Result {
        let bytes = Array(text.utf8) + Array(repeating: 0, count: JSONScanner.padding)
        var scratch = bytes
        return try scratch.withUnsafeMutableBufferPointer { scratch in
            try bytes.withUnsafeBufferPointer { bytes in
                var scanner = try #require(
                    JSONScanner(bytes, scratch: scratch, isPartial: isPartial, maximumLength: maximumLength))
                return try body(&scanner)
            }
        }
    }

    private func stop(_ text: String, isPartial: Bool = false, maximumLength: Int = .max) throws -> JSONScanner.Stop? {
        #expect(throws: JSONScanner.Stop.self) {
            try scan(text, isPartial: isPartial, maximumLength: maximumLength) { (scanner) throws(JSONScanner.Stop) in
                try scanner.skipValue()
                try scanner.commit()
            }
        }
    }

    @Test func `missing padding or scratch memory is refused`() {
        func isAccepted(_ bytes: [UInt8], scratch count: Int, offset: Int = 0) -> Bool {
            var scratch = [UInt8](repeating: 0, count: count)
            return scratch.withUnsafeMutableBufferPointer { scratch in
                bytes.withUnsafeBufferPointer { JSONScanner($0, from: offset, scratch: scratch) != nil }
            }
        }
        let padding = [UInt8](repeating: 0, count: 8)
        #expect(isAccepted([0x31] + padding, scratch: 9))
        #expect(isAccepted([0x31] + padding, scratch: 9, offset: 1))
        #expect(!isAccepted([0x31] + padding, scratch: 9, offset: 2))
        #expect(!isAccepted([0x31] + padding, scratch: 9, offset: -1))
        #expect(!isAccepted([0x31] + padding, scratch: 8))
        #expect(!isAccepted([0x31, 0x31] + padding.dropLast(), scratch: 9))
        #expect(!isAccepted([], scratch: 9))
    }

    @Test(arguments: ["1", "-1.5e3", "null", #""a\n""#, "[ 1,[] ]", #"{"a" : {"b":"]"}}"#])
    func `a skipped value is returned unchanged`(text: String) throws {
        for rest in ["", " ", ",1"] {
            let skipped = try scan(text + rest) { (scanner) throws(JSONScanner.Stop) in
                String(decoding: try scanner.skipValue(), as: UTF8.self)
            }
            #expect(skipped == text)
        }
    }

    @Test func `a number at the end of a part may continue`() throws {
        #expect(try stop("12", isPartial: true)?.expected == .commaOrEnd)
        #expect(try stop("1e999", isPartial: true)?.expected == .commaOrEnd)
        #expect(try stop("1e999")?.expected == .finite)
        let skipped = try scan("12") { (scanner) throws(JSONScanner.Stop) in try scanner.skipValue().count }
        #expect(skipped == 2)
    }

    @Test func `an item has a maximum length`() throws {
        try scan("12345", maximumLength: 5) { (scanner) throws(JSONScanner.Stop) in
            try scanner.skipValue()
            try scanner.commit()
            #expect(scanner.committedOffset == 5)
        }
        #expect(try stop("12345", maximumLength: 4)?.expected == .shorterItem)
    }

    @Test(arguments: [
        ("[1,2,3]", JSONScanner.Expectation.endOfCells, 4), ("[1,2 3]", .commaOrBracket, 5),
        ("[1,2", .commaOrBracket, 4),
        ("[1]", .moreCells, 2), ("[1", .commaOrBracket, 2),
    ])
    func `a row has too many cells only if a comma follows the last one`(
        row: String, expected: JSONScanner.Expectation, offset: Int
    ) throws {
        var cells = [JSONScanner.Scalar?](repeating: nil, count: 2)
        let stop = #expect(throws: JSONScanner.Stop.self) {
            try cells.withUnsafeMutableBufferPointer { cells in
                try scan(row) { (scanner) throws(JSONScanner.Stop) in try scanner.list(count: 2, into: cells) }
            }
        }
        #expect(stop?.expected == expected && stop?.offset == offset)
    }

    @Test func `known names are consumed with their colon`() throws {
        try scan(#"{"ab" : "x", "c":null}"#) { (scanner) throws(JSONScanner.Stop) in
            var read: [String?] = []
            try scanner.members(.object) { (scanner) throws(JSONScanner.Stop) in
                let isMember = try scanner.takeMember("a")
                #expect(!isMember)
                if try scanner.takeMember("ab") {
                    read.append(try scanner.text())
                } else {
                    #expect(scanner.takeQuoted(UnsafeBufferPointer(start: nil, count: 0)) == false)
                    _ = try scanner.name()
                    read.append(try scanner.nullableText())
                }
            }
            #expect(read == ["x", nil] && scanner.isAtEnd)
        }
    }

    @Test func `expectations are equal by their text`() {
        #expect(JSONScanner.Expectation("a comma") == JSONScanner.Expectation("a comma"))
        #expect(JSONScanner.Expectation.name != .value)
    }
}

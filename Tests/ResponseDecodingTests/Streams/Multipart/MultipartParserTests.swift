import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct MultipartParserTests {
    /// What a body contains: for each part its name or the names of its fields, and its content; then the error.
    struct Reading: Equatable {
        var parts: [[String]] = []
        var endedParts = 0
        var error: String?
    }

    private func read(
        _ pieces: [Data], boundary: String = "b", limits: MultipartLimits = .standard
    ) throws -> Reading {
        var parser = try MultipartParser(boundary: boundary, limits: limits)
        var reading = Reading()
        func drain() {
            do {
                while let event = try parser.next() {
                    switch event {
                    case .head(let head):
                        reading.parts.append([head.name ?? head.fields.map(\.name.rawName).joined(), ""])
                    case .bytes(let bytes):
                        #expect(!bytes.isEmpty)
                        reading.parts[reading.parts.count - 1][1] += bytes.latin1
                    case .end: reading.endedParts += 1
                    }
                }
            } catch {
                reading.error = "\(error.code) \(error.part ?? 0) \(error.byteOffset ?? -1)"
            }
        }
        for piece in pieces {
            parser.push(piece)
            drain()
        }
        parser.finish()
        drain()
        return reading
    }

    private func read(_ text: String, limits: MultipartLimits = .standard) throws -> Reading {
        try read([Data(text.utf8)], limits: limits)
    }

    private func field(_ name: String) -> String { "Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n" }

    @Test func `parts are read wherever the chunks end, with CRLF or LF`() throws {
        let crlf =
            "preamble --b\r\n--bc\r\n--b \t\r\n\(field("one"))1\r\n\r\n--bc\r\n--\r\r\n--b\r\n\(field("two"))"
            + "\r\n--b\r\n\r\n\r\n--b--\r\nepilogue\r\n--b\r\n"
        let content = "1\r\n\r\n--bc\r\n--\r"
        for (text, first) in [(crlf, content), (crlf.replacing("\r\n", with: "\n"), "1\n\n--bc\n--")] {
            let expected = Reading(parts: [["one", first], ["two", ""], ["", ""]], endedParts: 3)
            let bytes = Data(text.utf8)
            for place in 0...bytes.count { #expect(try read(bytes.cut(at: place)) == expected) }
            #expect(try read(bytes.singleBytes) == expected)
        }
    }

    @Test(arguments: ["--b--", "--b--\r\n", "\r\n--b--\r\n", "preamble\r\n--b--epilogue"])
    func `a body may have no part`(text: String) throws { #expect(try read(text) == Reading()) }

    // RFC 2046, section 5.1.1: the line break of the blank line may be that of the delimiter.
    @Test(arguments: ["A: 1\r\n\r\n--b--", "A: 1\r\n\r\n\r\n--b--", "A: 1\n\n--b--"])
    func `a part may have no content`(text: String) throws {
        #expect(try read("--b\r\n" + text) == Reading(parts: [["A", ""]], endedParts: 1))
    }

    @Test(arguments: [
        ("", "incompleteMultipart 0 0"), ("text without a boundary", "incompleteMultipart 0 23"),
        ("--b", "incompleteMultipart 0 0"), ("--b\r\nA: 1\r\n", "incompleteMultipart 1 5"),
        ("--b\r\nA: 1\r\n\r\ncontent", "incompleteMultipart 1 20"),
        ("--b\r\nA: 1\r\n\r\ncontent\r\n--b-", "incompleteMultipart 1 20"),
        ("--b\r\nA: 1\r\n\r\nx\r\n--b\r\nA: 1\r\nB\r\n\r\n", "invalidPartFields 2 27"),
        ("--b\r\nA B: 1\r\n\r\n", "invalidPartFields 1 5"), ("--b\r\nA: \u{1}\r\n\r\n", "invalidPartFields 1 5"),
        ("--b\r\n folded\r\n\r\n", "invalidPartFields 1 5"), ("--b\r\n--b\r\n\r\n", "invalidPartFields 1 5"),
        ("--b\r\n--b--: 1\r\n\r\n", "invalidPartFields 1 5"),
    ])
    func `a damaged body is an error with the part and the offset`(text: String, error: String) throws {
        let bytes = Data(text.utf8)
        #expect(try read([bytes]).error == error)
        #expect(try read(bytes.singleBytes).error == error)
    }

    @Test func `fields that are not UTF-8 are an error`() throws {
        let bytes = Data("--b\r\nA: ".utf8) + [0xFF] + Data("\r\n\r\n--b--".utf8)
        #expect(try read([bytes]).error == "invalidPartFields 1 5")
    }

    @Test func `folded lines are joined, and values trimmed`() throws {
        var parser = try MultipartParser(boundary: "b")
        parser.push(Data("--b\nA:  1;\n\t 2 \nB:\n\n".utf8))
        let event = try parser.next()
        #expect(
            event == .head(MultipartHead(number: 1, fields: try HTTPFields(["A": "1; 2", "B": ""]), byteOffset: 4)))
    }

    @Test func `the limits are exact and name the setting`() throws {
        let part = "\r\n--b\r\n\(field("name"))12345"
        let end = "\r\n--b--"
        let fields = field("name").utf8.count - 2
        let exact = MultipartLimits(parts: 2, fieldBytes: fields, nameBytes: 4, partBytes: 5)
        #expect(try read(part + part + end, limits: exact).error == nil)
        #expect(try read(part + part + part + end, limits: exact).error?.hasPrefix("tooManyParts 3 ") == true)
        var less = exact
        less.fieldBytes -= 1
        #expect(try read(part + end, limits: less).error == "partFieldsTooLarge 1 7")
        less = exact
        less.nameBytes -= 1
        #expect(try read(part + end, limits: less).error == "partFieldsTooLarge 1 7")
        less = exact
        less.partBytes -= 1
        #expect(try read(part + end, limits: less).error?.hasPrefix("partTooLarge 1 ") == true)
    }

    @Test func `fields without an end stop at the limit`() throws {
        var parser = try MultipartParser(boundary: "b")
        parser.push(Data("--b\r\n".utf8))
        var pushed = 0
        let error = #expect(throws: StreamDecodingError.self) {
            while try parser.next() == nil {
                parser.push(Data("A: 1\r\n".utf8))
                pushed += 6
            }
        }
        #expect(error?.code == .partFieldsTooLarge)
        #expect(pushed <= (16 << 10) + 6)
        #expect(try parser.next() == nil)
    }

    @Test(arguments: [0, 1000, 1001, 10_000])
    func `a thousand parts are the default limit`(count: Int) throws {
        let body = String(repeating: "--b\r\n\r\n\r\n", count: count) + "--b--"
        let reading = try read(body)
        #expect(reading.endedParts == min(count, 1000))
        #expect((reading.error == nil) == (count <= 1000))
        #expect(try read(body, limits: MultipartLimits(parts: 10_000)).endedParts == count)
    }

    @Test(arguments: [
        "", String(repeating: "b", count: 71), String(repeating: "b", count: 2000), "b ", "\u{E4}", "a\r",
    ])
    func `an invalid boundary is an error`(boundary: String) throws {
        let error = #expect(throws: StreamDecodingError.self) { try MultipartParser(boundary: boundary) }
        #expect(error?.code == .invalidBoundary)
        #expect(error?.message.contains("\(boundary.utf8.count) bytes") == true)
    }

    @Test(arguments: [nil, "text/plain; boundary=b", "multipart/mixed", "multipart/mixed; boundary=\"\""])
    func `a media type without a boundary is an error`(text: String?) throws {
        let mediaType = text.flatMap { MediaType(parsing: $0) }
        #expect(throws: StreamDecodingError.self) { try MultipartParser(mediaType) }
    }

    @Test func `a boundary of 70 bytes with every character is found`() throws {
        let boundary = String("'()+_,-./:=? 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw".prefix(70))
        let body = Data("--\(boundary)\r\n\r\n--\(boundary.dropLast())\r\n--\(boundary)--".utf8)
        let expected = Reading(parts: [["", "--\(boundary.dropLast())"]], endedParts: 1)
        #expect(try read(body.singleBytes, boundary: boundary) == expected)
    }

    @Test(arguments: 0..<10)
    func `random bodies and chunks agree with a simple reader`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            "--b", "--b", "--", "\r\n", "\r\n", "\n", "\r", "A: 1", ":", "x", " ", "--b--", "--bb", "\r\n\r\n",
        ]
        for _ in 0..<Fuzzing.rounds {
            let bytes = Data.random(of: parts, using: &generator)
            let whole = try read([bytes])
            let cut = try read(bytes.randomPieces(using: &generator))
            #expect(whole.parts == cut.parts && whole.endedParts == cut.endedParts && whole.error == cut.error)
            let naive = naiveContents(of: bytes)
            let ended = whole.parts.prefix(whole.endedParts).map { $0[1] }
            #expect(ended == Array(naive.prefix(ended.count)))
            if whole.error == nil { #expect(ended.count == naive.count) }
        }
    }

    /// The contents of the parts that end, found line by line.
    private func naiveContents(of body: Data) -> [String] {
        var contents: [String] = []
        // Lines with their terminators; nil until the first delimiter, and within fields.
        var current: Data?
        var isInFields = false
        for line in body.linesWithTerminators {
            let isDelimiter =
                line.starts(with: Data("--b--".utf8))
                || line.last == 0x0A && line.starts(with: Data("--b".utf8))
                    && line.dropFirst(3).drop { $0 == 0x20 }.isTerminator
            if isDelimiter {
                if let current { contents.append(current.withoutTerminator.latin1) }
                if line.starts(with: Data("--b--".utf8)) { return contents }
                current = nil
                isInFields = true
            } else if isInFields {
                if line.isTerminator {
                    isInFields = false
                    current = Data()
                }
            } else {
                current?.append(line)
            }
        }
        return contents
    }
}

extension Data {
    /// One scalar for each byte: a cut within a character of UTF-8 would change the text.
    fileprivate var latin1: String { String(String.UnicodeScalarView(map { Unicode.Scalar($0) })) }

    fileprivate var isTerminator: Bool { elementsEqual([0x0A]) || elementsEqual([0x0D, 0x0A]) }

    fileprivate var withoutTerminator: Data {
        guard last == 0x0A else { return self }
        return dropLast().last == 0x0D ? dropLast(2) : dropLast()
    }

    fileprivate var linesWithTerminators: [Data] {
        var lines: [Data] = []
        var rest = self
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            lines.append(Data(rest[..<end]))
            rest = rest[end...]
        }
        return lines
    }
}

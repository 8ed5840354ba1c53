import Foundation
import Testing

@testable import ResponseDecoding

@Suite struct LineSplitterTests {
    private func lines(_ pieces: [String], keeping: Bool, ending: LineEnding = .lfOrCRLFOrCR) throws -> [String] {
        var splitter = LineSplitter(ending: ending, maximumLength: 100)
        var lines: [String] = []
        for piece in pieces { splitter.push(Data(piece.utf8)) }
        splitter.finish(keepingUnendedLine: keeping)
        while let line = try splitter.next() {
            #expect(line.number == lines.count + 1)
            lines.append(String(decoding: line.bytes, as: UTF8.self))
        }
        return lines
    }

    @Test(arguments: [
        (["a\nb"], ["a"]), (["a"], []), (["a\n"], ["a"]), (["a\r"], ["a"]), (["a", "b\nc", "d"], ["ab"]), ([], []),
        (["\u{FEFF}"], []), (["\u{FEFF}\n"], [""]),
    ])
    func `a last line without terminator is dropped on request`(pieces: [String], expected: [String]) throws {
        #expect(try lines(pieces, keeping: false) == expected)
    }

    @Test func `the buffered part of an unterminated line is dropped`() throws {
        var splitter = LineSplitter(ending: .lf, maximumLength: 100)
        splitter.push(Data("a\nb".utf8))
        #expect(try splitter.next()?.number == 1)
        #expect(try splitter.next() == nil)
        splitter.finish(keepingUnendedLine: false)
        #expect(try splitter.next() == nil)
    }

    @Test func `lines may contain any bytes and come from a slice`() throws {
        var splitter = LineSplitter(ending: .lf, maximumLength: 100)
        splitter.push(Data([1, 2, 0xFF, 0x00, 0x0A, 0x0D, 0x0A]).dropFirst(2))
        #expect(try splitter.next()?.bytes == Data([0xFF, 0x00]))
        #expect(try splitter.next()?.bytes == Data([0x0D]))
        #expect(try splitter.next() == nil)
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF], []), ([0xEF, 0xBB], [[0xEF, 0xBB]]), ([0xEF], [[0xEF]]),
            ([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF], [[0xEF, 0xBB, 0xBF]]),
            ([0x0A, 0xEF, 0xBB, 0xBF], [[], [0xEF, 0xBB, 0xBF]]),
        ] as [([UInt8], [[UInt8]])])
    func `only a complete byte order mark at the start is skipped`(bytes: [UInt8], expected: [[UInt8]]) throws {
        for pieces in [[Data(bytes)], Data(bytes).singleBytes] {
            var splitter = LineSplitter(ending: .lf, maximumLength: 100)
            var lines: [[UInt8]] = []
            for piece in pieces {
                splitter.push(piece)
                while let line = try splitter.next() { lines.append(Array(line.bytes)) }
            }
            splitter.finish(keepingUnendedLine: true)
            while let line = try splitter.next() { lines.append(Array(line.bytes)) }
            #expect(lines == expected)
        }
    }

    @Test func `a reader that is always some lines behind gets all lines`() throws {
        var splitter = LineSplitter(ending: .lf, maximumLength: 100)
        for number in 1...5 { splitter.push(Data("line \(number)\n".utf8)) }
        for number in 1...1000 {
            #expect(try splitter.next()?.bytes == Data("line \(number)".utf8))
            splitter.push(Data("line \(number + 5)\n".utf8))
        }
    }

    @Test func `the byte order mark does not count towards the limit`() throws {
        var splitter = LineSplitter(ending: .lf, maximumLength: 1)
        for byte in Data("\u{FEFF}a\n".utf8) {
            splitter.push(Data([byte]))
            if let line = try splitter.next() { #expect(line.bytes == Data("a".utf8)) }
        }
    }
}

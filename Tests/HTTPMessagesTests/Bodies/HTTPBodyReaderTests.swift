import Foundation
import HTTPMessages
import TestSupport
import Testing

@Suite struct HTTPBodyReaderTests {
    private func pieces(_ body: HTTPBody, of count: Int) throws -> [String] {
        let reader = try #require(try body.makeReader())
        var pieces: [String] = []
        while let data = try reader.read(atMost: count) { pieces.append(String(decoding: data, as: UTF8.self)) }
        #expect(try reader.read(atMost: count) == nil)
        return pieces
    }

    @Test func `bytes are read in pieces`() throws {
        #expect(try pieces(.text("abcde"), of: 2) == ["ab", "cd", "e"])
        #expect(try pieces(.text("abcde"), of: 5) == ["abcde"])
        #expect(try pieces(.text("abcde"), of: .max) == ["abcde"])
        #expect(try pieces(.bytes(Data("xxab".utf8).dropFirst(2)), of: 1) == ["a", "b"])
        #expect(try pieces(.bytes(Data()), of: 1) == [])
        #expect(try pieces(.empty, of: 1) == [])
    }

    @Test func `every count makes progress`() throws {
        #expect(try pieces(.text("ab"), of: 0) == ["a", "b"])
        #expect(try pieces(.text("ab"), of: .min) == ["a", "b"])
    }

    @Test(arguments: [0, 3]) func `a reader that returns no or too many bytes is an error`(size: Int) async throws {
        final class Reader: HTTPBodyReader {
            let size: Int
            init(_ size: Int) { self.size = size }
            func read(atMost count: Int) -> Data? { Data(count: size) }
        }
        let generated = HTTPBody.generated(length: 10) { Reader(size) }
        for body in [generated, .sequence([generated])] {
            let read = #expect(throws: HTTPMessageError.self) { try pieces(body, of: 2) }
            #expect(read?.code == .bodyLengthMismatch)
            let collected = await #expect(throws: HTTPMessageError.self) {
                try await body.chunks(of: 2).collect(upTo: 100)
            }
            #expect(collected?.code == .bodyLengthMismatch)
        }
    }

    @Test func `a sequence is read completely`() throws {
        let body = HTTPBody.sequence([.empty, .text("abc"), .bytes(Data()), .sequence([.text("d")]), .text("e")])
        #expect(try pieces(body, of: 2) == ["ab", "c", "d", "e"])
        #expect(try pieces(.sequence([]), of: 2) == [])
    }

    @Test func `a file is read in its byte range`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a b.txt")
        try Data("0123456789".utf8).write(to: file)
        #expect(try pieces(.file(at: file), of: 4) == ["0123", "4567", "89"])
        #expect(try pieces(.file(at: file, range: 2..<7), of: 4) == ["2345", "6"])
        #expect(try pieces(.file(at: file, range: 10..<10), of: 4) == [])
        #expect(try pieces(.file(at: file), of: 0).count == 10)
        #expect(try HTTPBody.file(at: file).length == 10)
        #expect(try HTTPBody.file(at: file, range: 2..<7).length == 5)
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(try HTTPBody.file(at: link).length == 10)
    }

    @Test func `unreadable files are rejected`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data("0123".utf8).write(to: file)
        let refused: [(URL, Range<Int64>?)] = try [
            (folder.url, nil), (folder.url.appending(path: "missing"), nil), (file, 0..<5), (file, -1..<2),
            (file, 4..<5), (#require(URL(string: "https://h/file")), nil), (URL(filePath: "/dev/zero"), nil),
        ]
        for (url, range) in refused {
            let error = #expect(throws: HTTPMessageError.self) { try HTTPBody.file(at: url, range: range) }
            #expect(error?.code == .unreadableFile, "\(url)")
        }
    }

    @Test func `a file that is removed or truncated before reading is an error`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data("0123456789".utf8).write(to: file)
        let body = try HTTPBody.file(at: file)
        try Data("0123".utf8).write(to: file)
        let short = #expect(throws: HTTPMessageError.self) { try pieces(body, of: 3) }
        #expect(short?.code == .bodyLengthMismatch)
        try FileManager.default.removeItem(at: file)
        let gone = #expect(throws: HTTPMessageError.self) { try body.makeReader() }
        #expect(gone?.code == .unreadableFile)
        let later = HTTPBody.sequence([.text("a"), body])
        #expect(throws: HTTPMessageError.self) { try pieces(later, of: 3) }
    }

    @Test func `a file that grows is read at its original length`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data("0123".utf8).write(to: file)
        let body = try HTTPBody.file(at: file)
        try Data("0123456789".utf8).write(to: file)
        #expect(try pieces(body, of: 3) == ["012", "3"])
    }
}

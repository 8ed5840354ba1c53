import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct MultipartPartsTests {
    private let mixed = MediaType(parsing: "multipart/mixed; boundary=b")

    private func names(_ parts: MultipartParts<some AsyncSequence>) async throws -> [String] {
        var names: [String] = []
        for try await part in parts {
            names.append("\(part.name ?? "-")=\(String(decoding: try await part.collect(), as: UTF8.self))")
        }
        return names
    }

    private func part(_ name: String, _ content: String) -> String {
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"/tmp/\(name).txt\"\r\n"
            + "Content-Type: text/plain\r\n\r\n\(content)\r\n"
    }

    @Test func `parts and their contents are read on demand`() async throws {
        let bytes = WatchedBytes([part("a", "12"), part("b", "3"), "--b--"])
        var parts = try bytes.multipart(mixed).makeAsyncIterator()
        #expect(bytes.log.read == 0)
        let first = try #require(await parts.next())
        #expect(bytes.log.read == 1)
        #expect((first.name, first.fileName, first.mediaType?.essence) == ("a", "a.txt", "text/plain"))
        var content = first.content.makeAsyncIterator()
        #expect(try await content.next() == Data("12".utf8))
        #expect(bytes.log.read == 1)
        #expect(try await content.next() == nil)
        #expect(try await content.next() == nil)
        let second = try #require(await parts.next())
        #expect(second.head.number == 2)
        #expect(try await second.collect() == Data("3".utf8))
        #expect(try await parts.next() == nil)
        #expect(bytes.log.alive == 0)
    }

    @Test func `the next part skips the rest of the one before, which is then no longer available`() async throws {
        let bytes = WatchedBytes([part("a", "1"), part("b", "2"), "--b--"])
        var parts = try bytes.multipart(mixed).makeAsyncIterator()
        let first = try #require(await parts.next())
        let second = try #require(await parts.next())
        let error = await #expect(throws: StreamDecodingError.self) { try await first.collect() }
        #expect(error?.code == .partSkipped)
        #expect(error?.part == 1)
        #expect(try await second.collect() == Data("2".utf8))
    }

    @Test func `an error of the body reaches the reader of the content`() async throws {
        let bytes = WatchedBytes<BrokenOff>([part("a", "1") + "--b\r\n\r\n12"])
        var parts = try bytes.multipart(mixed).makeAsyncIterator()
        _ = try await parts.next()
        let second = try #require(await parts.next())
        var content = second.content.makeAsyncIterator()
        #expect(try await content.next() == Data("12".utf8))
        await #expect(throws: BrokenOff.self) { try await content.next() }
        #expect(bytes.log.alive == 0)
        #expect(try await parts.next() == nil)
    }

    @Test func `a missing final boundary is an error after the content`() async throws {
        var parts = try WatchedBytes([part("a", "1"), "--b\r\n\r\n12"]).multipart(mixed).makeAsyncIterator()
        _ = try await parts.next()
        let second = try #require(await parts.next())
        let error = await #expect(throws: StreamDecodingError.self) { try await second.collect() }
        #expect(error?.code == .incompleteMultipart)
        #expect(error?.description.hasPrefix("Part 2, byte ") == true)
    }

    @Test func `contents beyond the limit in memory are an error`() async throws {
        var parts = try WatchedBytes([part("a", "123"), "--b--"]).multipart(mixed).makeAsyncIterator()
        let part = try #require(await parts.next())
        let error = await #expect(throws: StreamDecodingError.self) { try await part.collect(upTo: 2) }
        #expect(error?.code == .partTooLarge)
    }

    @Test func `a multipart body within a part is read in turn`() async throws {
        let inner = "--bb\r\n\r\n1\r\n--bb\r\n\r\n2\r\n--bb--\r\n"
        let body = "--b\r\nContent-Type: multipart/mixed; boundary=bb\r\n\r\n\(inner)\r\n\(part("a", "3"))--b--"
        let pieces = body.utf8.map { String(UnicodeScalar($0)) }
        var found: [String] = []
        for try await part in try WatchedBytes(pieces).multipart(mixed) {
            if part.mediaType?.type == "multipart" {
                found += try await names(part.content.multipart(part.mediaType))
            } else {
                found.append(String(decoding: try await part.collect(), as: UTF8.self))
            }
        }
        #expect(found == ["-=1", "-=2", "3"])
    }

    // RFC 9110, section 14.6.
    @Test func `byte ranges of a response have their places`() async throws {
        let body =
            "--THIS_STRING_SEPARATES\nContent-Type: application/pdf\nContent-Range: bytes 500-501/8000\n\nab\n"
            + "--THIS_STRING_SEPARATES\nContent-Type: application/pdf\nContent-Range: bytes 7000-7001/8000\n\ncd\n"
            + "--THIS_STRING_SEPARATES--\n"
        let url = try #require(URL(string: "https://example.com/"))
        let fields = try HTTPFields(["Content-Type": "multipart/byteranges; boundary=THIS_STRING_SEPARATES"])
        let stream = HTTPResponseStream(
            head: HTTPResponseHead(status: .partialContent, fields: fields, url: url), body: WatchedBytes([body]))
        var ranges: [Range<Int64>?] = []
        for try await part in try stream.parts() { ranges.append(part.head.contentRange?.range) }
        #expect(ranges == [500..<502, 7000..<7002])
    }

    @Test func `the number and the names of fields are described, not their values`() throws {
        let head = MultipartHead(number: 3, fields: try HTTPFields(["X-Secret": "hunter2"]))
        #expect("\(head)" == "part 3 with X-Secret")
    }
}

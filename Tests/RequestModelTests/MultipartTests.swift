import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import TestSupport
import Testing

@Suite struct MultipartTests {
    private func text(_ body: RequestBody) async throws -> String {
        String(decoding: try await body.content.collect(), as: UTF8.self)
    }

    @Test func `writes parts`() async throws {
        let file = try TemporaryFile(Data("file".utf8))
        let form = Multipart([
            .text("title", "Größe"), .bytes("raw", Data([0x31, 0x32])),
            try .file("scan", at: file.url, fileName: "a.png", mediaType: MediaType("image/png")),
            .text("json", "{}", mediaType: .json),
        ])
        let body = try form.body(boundary: "XX")
        let expected = """
            --XX
            Content-Disposition: form-data; name="title"

            Größe
            --XX
            Content-Disposition: form-data; name="raw"
            Content-Type: application/octet-stream

            12
            --XX
            Content-Disposition: form-data; name="scan"; filename="a.png"
            Content-Type: image/png

            file
            --XX
            Content-Disposition: form-data; name="json"
            Content-Type: application/json

            {}
            --XX--

            """.replacing("\n", with: "\r\n")
        for _ in 0..<2 { #expect(try await text(body) == expected) }
        #expect(body.content.length == Int64(expected.utf8.count))
        #expect(body.content.isReplayable)
        #expect(body.mediaType?.description == "multipart/form-data;boundary=XX")
        #expect(try Multipart.Part.file("f", at: file.url).fileName == file.url.lastPathComponent)
    }

    @Test func `empty form is the closing delimiter`() async throws {
        #expect(try await text(Multipart().body(boundary: "XX")) == "--XX--\r\n")
    }

    @Test func `quotes and line breaks in names are escaped`() async throws {
        let part = Multipart.Part.bytes(
            "a\"; x=\"\r\nX-Evil: 1\r\n\r\n", Data(), fileName: "ü\"\n\r\\%22.txt", mediaType: .plainText)
        let lines = try await text(Multipart([part]).body(boundary: "XX")).components(separatedBy: "\r\n")
        #expect(
            lines[1] == "Content-Disposition: form-data; name=\"a%22; x=%22%0D%0AX-Evil: 1%0D%0A%0D%0A\"; "
                + "filename=\"ü%22%0A%0D\\%22.txt\"")
        #expect(lines[2] == "Content-Type: text/plain;charset=utf-8")
        #expect(lines.count == 7)
    }

    @Test func `every line break is escaped`() async throws {
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let name = generator.text() + "\"\r\n\r" + generator.text() + "\n"
            let part = Multipart.Part(name, .bytes(Data()), fileName: name)
            let written = try await text(Multipart([part]).body(boundary: "XX"))
            #expect(written.utf8.count { $0 == 0x0A } == 5, "seed \(seed)")
            #expect(written.utf8.count { $0 == 0x0D } == 5, "seed \(seed)")
            #expect(written.utf8.count { $0 == 0x22 } == 4, "seed \(seed)")
        }
    }

    @Test func `a stream makes the form not replayable`() async throws {
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(Data("streamed".utf8))
            continuation.finish()
        }
        let body = try Multipart([.text("a", "1"), .init("b", .stream(stream))]).body()
        #expect(!body.content.isReplayable && body.content.length == nil)
        #expect(try await text(body).contains("\r\n\r\nstreamed\r\n--"))
        let sized = try Multipart([.init("b", .stream(stream, length: 8))]).body(boundary: "XX")
        #expect(sized.content.length == 68)
    }

    @Test func `boundaries are random tokens`() throws {
        var seen: Set<String> = []
        for _ in 0..<100 {
            let type = try #require(try Multipart().body().mediaType)
            #expect(!type.description.contains("\""))
            seen.insert(try #require(type["boundary"]))
        }
        #expect(seen.count == 100)
        #expect(seen.allSatisfy { $0.utf8.count <= 70 })
    }

    @Test func `generates another boundary if one occurs`() throws {
        var first = SeededGenerator(seed: 1)
        let taken = try #require(try Multipart().body(using: &first).mediaType?["boundary"])
        for content in [HTTPBody.text("x\r\n--\(taken)--"), .sequence([.empty, .text(taken)])] {
            var second = SeededGenerator(seed: 1)
            let body = try Multipart([.init("a", content)]).body(using: &second)
            #expect(body.mediaType?["boundary"] != taken)
            let error = #expect(throws: HTTPMessageError.self) {
                try Multipart([.init("a", content)]).body(boundary: taken)
            }
            #expect(error?.code == .invalidMediaType)
        }
    }

    @Test func `constant generator is an error`() throws {
        struct Constant: RandomNumberGenerator {
            func next() -> UInt64 { 0 }
        }
        var generator = Constant()
        let taken = try #require(try Multipart().body(using: &generator).mediaType?["boundary"])
        let error = #expect(throws: HTTPMessageError.self) {
            try Multipart([.text("a", taken)]).body(using: &generator)
        }
        #expect(error?.code == .invalidMediaType)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "ä", "a\"b", String(repeating: "x", count: 71)])
    func `rejects invalid boundaries`(boundary: String) {
        let error = #expect(throws: HTTPMessageError.self) { try Multipart().body(boundary: boundary) }
        #expect(error?.code == .invalidMediaType)
    }

    @Test func `descriptions show no content`() {
        let form = Multipart([.text("password", "hunter2")])
        var dumped = ""
        dump(form, to: &dumped)
        for text in [form.description, dumped, String(reflecting: form)] { #expect(!text.contains("hunter2")) }
    }
}

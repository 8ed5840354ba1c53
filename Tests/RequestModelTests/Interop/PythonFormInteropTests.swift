import Foundation
import HTTPMessages
import RequestModel
import TestSupport
import Testing
import Transport

private let peer = ProcessInfo.processInfo.environment["PATCHBAY_PYTHON_PEERS"]

/// PyPI's `werkzeug` and `python-multipart` as readers of forms: `.ci/interop` starts them.
@Suite(.needsSlot, .enabled(if: peer != nil, "PATCHBAY_PYTHON_PEERS is not set."))
struct PythonFormInteropTests {
    private struct Part: Decodable, Equatable {
        var name: String
        var fileName: String?
        var mediaType: String?
        var size: Int
    }

    @Test(arguments: ["werkzeug", "python-multipart"])
    func `it reads our forms`(reader: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "large.bin")
        try Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: file)
        var form = Multipart()
        let text = "grüß\r\n--x\r\n\r\n"
        form.parts = [
            .text("empty", ""), .text("text", text), .text("name with blanks", "--\r\n--"),
            .bytes("file", Data((0...255).map { UInt8($0) }), fileName: "a b.bin"),
            try .file("large", at: file, fileName: "αβ.bin"),
            .bytes("same", Data("1".utf8), fileName: "1", mediaType: try MediaType("text/plain")),
            .bytes("same", Data("22".utf8), fileName: "2", mediaType: try MediaType("text/plain")),
        ]
        let body = try form.body()
        var fields = HTTPFields()
        try fields.set(.contentType, to: #require(body.mediaType).description)
        let request = try HTTPRequest(
            .post, "\(#require(peer))/multipart/read/\(reader)", fields: fields, body: body.content)
        let response = try await URLSessionTransport.shared.send(request)
        #expect(response.status == .ok)
        let parts = try JSONDecoder().decode([Part].self, from: response.body)
        let binary = "application/octet-stream"
        // Readers list fields before files.
        #expect(
            parts.sorted { ($0.name, $0.size) < ($1.name, $1.size) } == [
                Part(name: "empty", size: 0), Part(name: "file", fileName: "a b.bin", mediaType: binary, size: 256),
                Part(name: "large", fileName: "αβ.bin", mediaType: binary, size: 3 << 20),
                Part(name: "name with blanks", size: 6),
                Part(name: "same", fileName: "1", mediaType: "text/plain", size: 1),
                Part(name: "same", fileName: "2", mediaType: "text/plain", size: 2),
                Part(name: "text", size: text.utf8.count),
            ])
    }
}

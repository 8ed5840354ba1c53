import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct ContinuationLineTests {
    // libcurl 7.84 to 8.0 use freed memory there, if the easy handle was used before.
    @Test func `a head that starts with a continuation line does not end the process`() async throws {
        try await LoopbackServer(script: { request in
            request.target == "/bad"
                ? [.send("HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 0\r\n\r\n")]
                : [.send("HTTP/1.1 200 OK\r\nX-One: 1\r\nX-Two: 2\r\nContent-Length: 0\r\n\r\n")]
        }).stopping { server in
            let file = try TemporaryFolder().url.appending(path: "output")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: file)
            let urls = try (0..<10).flatMap { _ in try [server.url(of: "/good"), server.url(of: "/bad")] }
            let ending = try await ChildProcess.run(
                BuiltProducts.url(of: "curl-probe").path, urls.map(\.absoluteString),
                output: FileHandle(forWritingTo: file))
            #expect(ending == .exited(0))
            let words = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(words.count == 20)
            for (index, word) in words.enumerated() { #expect(word == (index % 2 == 0 ? "200" : "malformedResponse")) }
        }
    }
}

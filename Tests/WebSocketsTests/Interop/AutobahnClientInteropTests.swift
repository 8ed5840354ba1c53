import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import WebSockets

private let command = ProcessInfo.processInfo.environment["PATCHBAY_AUTOBAHN_CLIENT"]

/// The client of PyPI's `autobahn`, in `.ci/autobahn-client.py`, against the frames of this module as a server.
@Suite(.needsSlot, .enabled(if: command != nil, "PATCHBAY_AUTOBAHN_CLIENT is not set."))
struct AutobahnClientInteropTests {
    @Test(arguments: [nil, WebSocketCompression()])
    func `its messages, fragments, pings and close code come back`(compression: WebSocketCompression?) async throws {
        let server = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            try connection.serveWebSocket(to: request, WebSocketOptions { $0.compression = compression })
        })
        let words = try #require(command).split(separator: " ").map(String.init)
        let process = Process()
        process.executableURL = URL(filePath: words[0])
        process.arguments = words.dropFirst() + ["\(server.port)"] + (compression == nil ? [] : ["deflate"])
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        #expect(status == 0)
        await server.stop()
    }
}

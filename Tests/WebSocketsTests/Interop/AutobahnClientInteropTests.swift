import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import WebSockets

private let environment = ProcessInfo.processInfo.environment
private let python = environment["PATCHBAY_AUTOBAHN_PYTHON"], client = environment["PATCHBAY_AUTOBAHN_CLIENT"]

/// The client of PyPI's `autobahn`, in `.ci/autobahn-client.py`, against the frames of this module as a server.
@Suite(
    .needsSlot,
    .enabled(
        if: python != nil && client != nil, "PATCHBAY_AUTOBAHN_PYTHON or PATCHBAY_AUTOBAHN_CLIENT is not set."))
struct AutobahnClientInteropTests {
    @Test(arguments: [nil, WebSocketCompression()])
    func `its messages, fragments, pings and close code come back`(compression: WebSocketCompression?) async throws {
        let (python, client) = (try #require(python), try #require(client))
        let server = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            try connection.serveWebSocket(to: request, WebSocketOptions { $0.compression = compression })
        })
        let arguments = [client, "\(server.port)"] + (compression == nil ? [] : ["deflate"])
        let ending = try await server.stopping { _ in try await ChildProcess.run(python, arguments) }
        #expect(ending == .exited(0))
    }
}

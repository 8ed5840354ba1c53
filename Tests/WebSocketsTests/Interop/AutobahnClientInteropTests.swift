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
        let process = Process()
        process.executableURL = URL(filePath: try #require(python))
        let client = try #require(client)
        let server = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            try connection.serveWebSocket(to: request, WebSocketOptions { $0.compression = compression })
        })
        process.arguments = [client, "\(server.port)"] + (compression == nil ? [] : ["deflate"])
        let result = try await server.stopping { _ in try await status(of: process) }
        #expect(result == 0)
    }

    /// Runs a process, which ends with the task.
    private func status(of process: Process) async throws -> Int32 {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
                // The handler may have come before the start.
                if Task.isCancelled, process.isRunning { process.terminate() }
            }
        } onCancel: {
            if process.isRunning { process.terminate() }
        }
    }
}

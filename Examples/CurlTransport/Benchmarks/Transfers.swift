import CurlTransport
import Foundation
import HTTPMessages
import Transport

extension Harness {
    /// Compares long transfers in both directions with the `curl` command.
    func transfers(_ server: ServerProcess) async throws -> [Flow] {
        let size = arguments.quick ? 32 << 20 : 1 << 30
        let transport = try CurlTransport(network: .direct)
        let source = try Self.makeSource(size)
        defer { try? FileManager.default.removeItem(at: source) }
        let down = try HTTPRequest(.get, server.streamingURL + "/down?\(size)")
        let up = try HTTPRequest(.put, server.streamingURL + "/up", body: .file(at: source))
        let flows = [
            try await flow("Streamed down", size, against: "the curl command, to /dev/null") {
                try await Self.read(transport.stream(down), expecting: size)
            } baseline: {
                try Self.curl("--output", "/dev/null", down.url.absoluteString)
            },
            try await flow("Uploaded from a file", size, against: "the curl command") {
                try Self.check(Int(String(decoding: try await transport.send(up).body, as: UTF8.self)), size)
            } baseline: {
                try Self.curl("--output", "/dev/null", "--upload-file", source.path, up.url.absoluteString)
            },
        ]
        await transport.shutdown()
        return flows
    }

    private static func curl(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["curl", "--silent", "--fail", "--noproxy", "*"] + words
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw TransportError(.unknown, "The curl command ended with \(process.terminationStatus).")
        }
    }
}

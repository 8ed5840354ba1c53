import CurlTransport
import Foundation
import HTTPMessages
import Transport

extension Harness {
    /// Compares requests to nginx, and long transfers, with `curl-floor`: what a C program on libcurl costs.
    func floor(_ server: ServerProcess) async throws -> [any Finding] {
        var findings: [any Finding] = []
        if let plain = arguments.nginx.first {
            for inFlight in [1, 16, 64] {
                let name = "GET from nginx, \(inFlight) in flight"
                if wantsRow(name) { findings.append(try await floor(name, plain, inFlight)) }
            }
        }
        if let secure = arguments.nginx.dropFirst().first {
            let name = "GET from nginx over HTTP/2, 64 in flight"
            if wantsRow(name) { findings.append(try await floor(name, secure, 64, "http2")) }
        }
        if wantsRow("Streamed down and uploaded") { findings += try await floorOfTransfers(server) }
        return findings
    }

    private func wantsRow(_ name: String) -> Bool { arguments.row.map(name.contains) ?? true }

    private func floorOfTransfers(_ server: ServerProcess) async throws -> [any Finding] {
        var findings: [any Finding] = []
        let size = arguments.quick ? 32 << 20 : 1 << 30
        let transport = try CurlTransport(network: .direct)
        let source = try Self.makeSource(size)
        defer { try? FileManager.default.removeItem(at: source) }
        let down = try HTTPRequest(.get, server.streamingURL + "/down?\(size)")
        let up = try HTTPRequest(.put, server.streamingURL + "/up", body: .file(at: source))
        findings.append(
            try await compareTimes(
                "Streamed down, \(size >> 20) MiB", operations: size >> 20, against: "curl-floor",
                rounds: min(rounds, 5)
            ) {
                try await seconds { try await Self.read(transport.stream(down), expecting: size) }
            } baseline: {
                try Self.floor("down", down.url.absoluteString)
            })
        findings.append(
            try await compareTimes(
                "Uploaded from a file, \(size >> 20) MiB", operations: size >> 20, against: "curl-floor",
                rounds: min(rounds, 5)
            ) {
                try await seconds {
                    try Self.check(Int(String(decoding: try await transport.send(up).body, as: UTF8.self)), size)
                }
            } baseline: {
                try Self.floor("up", up.url.absoluteString, source.path)
            })
        await transport.shutdown()
        return findings
    }

    private func floor(_ name: String, _ url: String, _ inFlight: Int, _ words: String...) async throws -> Figure {
        let operations = count(inFlight == 1 ? 5000 : 20_000)
        var network = CurlTransport.NetworkOptions.direct
        network.verifiesServerCertificates = false
        let transport = try CurlTransport(network: network)
        let request = try HTTPRequest(.get, url)
        let arguments = ["get", url, "\(operations)", "\(inFlight)"] + words
        defer { Task { await transport.shutdown() } }
        return try await compareTimes(name, operations: operations, against: "curl-floor", rounds: min(rounds, 9)) {
            try await seconds {
                try await repeating(operations, inFlight: inFlight) {
                    guard try await transport.send(request).status == .ok else {
                        throw TransportError(.unknown, "nginx sends no file.")
                    }
                }
            }
        } baseline: {
            try Self.floor(arguments)
        }
    }

    private static func floor(_ words: String...) throws -> Double { try floor(words) }

    /// Runs the program beside this one.
    /// - Returns: the seconds that it took, without its start.
    private static func floor(_ words: [String]) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "curl-floor")
        process.arguments = words
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let seconds = Double(text.trimmingCharacters(in: .newlines)) else {
            throw TransportError(.unknown, "curl-floor ended with \(process.terminationStatus): \(text)")
        }
        return seconds
    }

    /// A file with a hole, so that neither side waits for a disk.
    static func makeSource(_ size: Int) throws -> URL {
        let source = URL.temporaryDirectory.appending(path: "patchbay-benchmarks-\(UUID().uuidString)")
        try Data().write(to: source)
        try FileHandle(forWritingTo: source).truncate(atOffset: UInt64(size))
        return source
    }
}

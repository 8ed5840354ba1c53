import Foundation
import PatchbayTestKit

/// The servers in a separate process, so that their CPU time and memory do not count.
final class ServerProcess {
    /// The address of ``PollServer``.
    let url: String
    /// The address of ``StreamingServer``.
    let streamingURL: String
    private let process = Process()
    private let input = Pipe()

    /// Starts this program as a server, which ends with this process.
    init() throws {
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--serve"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), let value = byte.first,
            value != UInt8(ascii: "\n")
        {
            line.append(value)
        }
        let ports = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard ports.count == 2 else { throw POSIXError(.ECONNREFUSED) }
        url = "http://127.0.0.1:\(ports[0])"
        streamingURL = "http://127.0.0.1:\(ports[1])"
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Serves until the standard input ends.
    static func serve() async throws {
        let small = try PollServer()
        let streaming = try LoopbackServer(
            limits: .init(recordedRequests: 0), connections: { try StreamingServer.serve($0) })
        print("\(small.port) \(streaming.port)")
        fflush(nil)
        small.run()
        await streaming.stop()
    }

    /// Allows this process, and the servers that it starts, thousands of connections.
    static func raiseFileLimit() {
        var limit = rlimit()
        let number = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(number, &limit) == 0, limit.rlim_cur < 16_384 else { return }
        limit.rlim_cur = min(16_384, limit.rlim_max)
        _ = setrlimit(number, &limit)
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit

/// The server that the benchmarks talk to, in a process of its own, so that its work and memory are not counted.
final class ServerProcess {
    let url: String
    /// The server of long transfers: see ``StreamingServer``.
    let streamingPort: UInt16
    var streamingURL: String { "http://127.0.0.1:\(streamingPort)" }
    private let process = Process()
    private let input = Pipe()

    /// Starts this program again as a server. It ends when this process does.
    init() throws {
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--serve"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != UInt8(ascii: "\n"),
            !byte.isEmpty
        {
            line.append(byte)
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        url = words.first.map(String.init) ?? ""
        streamingPort = words.last.flatMap { UInt16($0) } ?? 0
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The body of every answer.
    static let answer = Data(#"{"id":7,"name":"patch cable","price":12.5,"tags":["audio","6.3 mm"],"stock":140}"#.utf8)

    /// Serves until the standard input ends.
    static func serve() async throws {
        let fields = try HTTPFields(["Content-Type": "application/json"])
        let server = try LoopbackServer(limits: .init(recordedRequests: 0)) { request in
            request.reply(fields: fields, body: answer)
        }
        let streaming = try LoopbackServer(
            limits: .init(recordedRequests: 0), connections: { try StreamingServer.serve($0) })
        print("http://127.0.0.1:\(server.port) \(streaming.port)")
        fflush(nil)
        _ = try FileHandle.standardInput.readToEnd()
        await server.stop()
        await streaming.stop()
    }
}

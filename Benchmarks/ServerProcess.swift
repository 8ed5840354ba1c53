import Foundation
import HTTPMessages
import PatchbayTestKit

/// The server in a separate process, so that its CPU time and memory do not count.
final class ServerProcess {
    let url: String
    /// The port of the ``StreamingServer``.
    let streamingPort: UInt16
    /// The address of ``RecordedHyperHive``.
    let hyperHiveURL: String
    var streamingURL: String { "http://127.0.0.1:\(streamingPort)" }
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
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != UInt8(ascii: "\n"),
            !byte.isEmpty
        {
            line.append(byte)
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        url = words.first.map(String.init) ?? ""
        streamingPort = words.dropFirst().first.flatMap { UInt16($0) } ?? 0
        hyperHiveURL = words.dropFirst(2).first.map(String.init) ?? ""
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The body of every response but `/records`.
    static let responseBody = Data(
        #"{"id":7,"name":"patch cable","price":12.5,"tags":["audio","6.3 mm"],"stock":140}"#.utf8)

    /// Serves until the standard input ends.
    static func serve() async throws {
        let fields = try HTTPFields(["Content-Type": "application/json"])
        let records = try JSONCoding.standard.encode(JSONRecord.list(1700))
        let server = try LoopbackServer(limits: .init(recordedRequests: 0)) { request in
            request.response(fields: fields, body: request.url.path == "/records" ? records : responseBody)
        }
        let streaming = try LoopbackServer(
            limits: .init(recordedRequests: 0), connections: { try StreamingServer.serve($0) })
        let hyperHive = try LoopbackServer(limits: .init(recordedRequests: 0), service: RecordedHyperHive())
        print("http://127.0.0.1:\(server.port) \(streaming.port) http://127.0.0.1:\(hyperHive.port)")
        fflush(nil)
        _ = try FileHandle.standardInput.readToEnd()
        await server.stop()
        await streaming.stop()
        await hyperHive.stop()
    }
}

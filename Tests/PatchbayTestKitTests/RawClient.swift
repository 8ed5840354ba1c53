import Foundation
import SystemLibraries

@testable import PatchbayTestKit

/// A raw TCP client.
final class RawClient: Sendable {
    struct Response: Equatable {
        var statusLine: String
        var fields: [String]
        var body: String
        var status: Int? { statusLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    }

    let socket: Socket

    init(port: Int) throws {
        guard let descriptor = try? LoopbackSocket.connected(to: UInt16(port)) else { throw ConnectionLost() }
        socket = Socket(adopting: descriptor)
        socket.limitWaiting(toSeconds: 20)
    }

    func send(_ text: String) throws { try socket.write(Array(text.utf8)) }

    /// All bytes until the server closes the connection; nil after a reset.
    func readToEnd() -> String? {
        var all: [UInt8] = []
        while let bytes = read(65_536) {
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
        return nil
    }

    /// One response, with a body of `Content-Length` or with raw chunks.
    func readResponse(hasBody: Bool = true) throws -> Response {
        let head = try read(through: "\r\n\r\n")
        var lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        var response = Response(statusLine: lines.removeFirst(), fields: lines, body: "")
        if hasBody, let line = lines.first(where: { $0.hasPrefix("Content-Length: ") }) {
            for _ in 0..<(Int(line.dropFirst(16)) ?? 0) { response.body += try read(exactly: 1) }
        } else if hasBody, lines.contains("Transfer-Encoding: chunked") {
            response.body = try read(through: "0\r\n\r\n")
        }
        return response
    }

    func read(through end: String) throws -> String {
        var text = ""
        while !text.hasSuffix(end) { text += try read(exactly: 1) }
        return text
    }

    func read(exactly count: Int) throws -> String {
        guard let bytes = read(count), bytes.count == count else { throw ConnectionLost() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: nil after a reset.
    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard let count = try? bytes.withUnsafeMutableBytes({ try socket.read(into: $0) }) else { return nil }
        return Array(bytes.prefix(count))
    }
}

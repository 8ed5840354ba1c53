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
    }

    func send(_ text: String) throws { try socket.write(Array(text.utf8)) }

    /// All bytes until the server closes the connection; nil after a reset.
    func readToEnd() async -> String? {
        try? await onThread { client in
            var all: [UInt8] = []
            while let bytes = client.read(65_536) {
                if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
                all += bytes
            }
            throw ConnectionLost()
        }
    }

    /// One response, with a body of `Content-Length` or with raw chunks.
    func readResponse(hasBody: Bool = true) async throws -> Response {
        try await onThread { client in
            let head = try client.text(through: "\r\n\r\n")
            var lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
            var response = Response(statusLine: lines.removeFirst(), fields: lines, body: "")
            if hasBody, let line = lines.first(where: { $0.hasPrefix("Content-Length: ") }) {
                for _ in 0..<(Int(line.dropFirst(16)) ?? 0) { response.body += try client.text(1) }
            } else if hasBody, lines.contains("Transfer-Encoding: chunked") {
                response.body = try client.text(through: "0\r\n\r\n")
            }
            return response
        }
    }

    func read(exactly count: Int) async throws -> String { try await onThread { try $0.text(count) } }

    /// Reads on a thread of its own, since the server may need those of the cooperative pool. A cancelled task ends it.
    private func onThread<Value: Sendable>(
        _ read: @escaping @Sendable (RawClient) throws -> Value
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread { continuation.resume(with: Result { try read(self) }) }.start()
            }
        } onCancel: {
            socket.stop()
        }
    }

    private func text(through end: String) throws -> String {
        var text = ""
        while !text.hasSuffix(end) { text += try self.text(1) }
        return text
    }

    private func text(_ count: Int) throws -> String {
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

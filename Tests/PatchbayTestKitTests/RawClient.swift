import Foundation

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
        // The server's `Socket` lacks only connect(2).
        let descriptor = PatchbayTestKitTests.socket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        socket = Socket(adopting: descriptor)
        guard result == 0 else { throw ConnectionLost() }
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

private func socket() -> Int32 { Foundation.socket(AF_INET, streams(SOCK_STREAM), 0) }
private func streams(_ value: Int32) -> Int32 { value }
private func streams(_ value: some RawRepresentable<UInt32>) -> Int32 { Int32(bitPattern: value.rawValue) }

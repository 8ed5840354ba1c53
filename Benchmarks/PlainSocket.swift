import Foundation
import SystemLibraries

/// The upper bound: a plain socket. Shows whether the server limits a measurement.
enum PlainSocket {
    /// Reads a response of a known size, blocking this thread.
    static func get(_ target: String, port: UInt16, expecting size: Int) throws {
        let descriptor = try LoopbackSocket.connected(to: port)
        defer { close(descriptor) }
        let request = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard write(descriptor, request, request.count) == request.count else { throw POSIXError(.EIO) }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var count = 0
        while count < size {
            let part = read(descriptor, &buffer, buffer.count)
            guard part > 0 else { throw POSIXError(.EIO) }
            count += part
        }
    }
}

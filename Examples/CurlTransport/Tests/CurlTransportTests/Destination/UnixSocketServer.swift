import Foundation

/// A server on a Unix domain socket, whose responses tell the request line and the host.
final class UnixSocketServer {
    let path: String
    private let descriptor: CInt

    init() throws {
        path = "/tmp/patchbay-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).socket"
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isListening =
            withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            } && listen(descriptor, 8) == 0
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let listener = descriptor
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = read(connection, &bytes, bytes.count)
                let lines = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: "\r\n")
                let body = "\(lines.first ?? "") \(lines.first { $0.hasPrefix("Host:") } ?? "")"
                let response =
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                _ = send(connection, response, response.utf8.count, CInt(MSG_NOSIGNAL))
                close(connection)
            }
            // Here, since another socket could have the number as soon as it is closed.
            close(listener)
        }
    }

    deinit {
        shutdown(descriptor, CInt(SHUT_RDWR))
        unlink(path)
    }
}

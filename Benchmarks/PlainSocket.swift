import Foundation

// The type of the constant depends on the platform.
private func cInt(_ value: Int32) -> Int32 { value }
private func cInt(_ value: some RawRepresentable<UInt32>) -> Int32 { Int32(bitPattern: value.rawValue) }

/// The upper bound: a plain socket. Shows whether the server limits a measurement.
enum PlainSocket {
    /// Reads a response of a known size, blocking this thread.
    static func get(_ target: String, port: UInt16, expecting size: Int) throws {
        let descriptor = socket(AF_INET, cInt(SOCK_STREAM), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let request = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard isConnected, write(descriptor, request, request.count) == request.count else { throw POSIXError(.EIO) }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var count = 0
        while count < size {
            let part = read(descriptor, &buffer, buffer.count)
            guard part > 0 else { throw POSIXError(.EIO) }
            count += part
        }
    }
}

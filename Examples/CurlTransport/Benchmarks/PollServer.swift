import Foundation

/// A server for small requests on one thread, which costs less CPU time than the client under test.
///
/// `/hold` gets its response with the next `/release`; every other target gets ``responseBody`` at once, after the
/// body of the request if it is a POST or a PUT with a length. It reads the first letters of the method and of the path
/// of a GET only, and takes requests of less than 64 KiB.
final class PollServer {
    /// The body of every response.
    static let responseBody = #"{"id":7,"name":"patch cable","price":12.5,"tags":["audio","6.3 mm"],"stock":140}"#

    private struct Client {
        /// The start of an incomplete request.
        var rest: [UInt8] = []
    }

    let port: UInt16
    private let listener: Int32
    private var clients: [Int32: Client] = [:]
    private var held: [Int32] = []
    private let response: [UInt8]
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init() throws {
        response = Array(
            ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(Self.responseBody.utf8.count)\r\n\r\n"
                + Self.responseBody).utf8)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 4096) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard code else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Serves until the standard input ends.
    func run() {
        var descriptors: [pollfd] = []
        var isStale = true
        while true {
            if isStale {
                descriptors = ([0, listener] + clients.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                isStale = false
            }
            guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { continue }
            if descriptors[0].revents != 0 { return }
            for entry in descriptors.dropFirst() where entry.revents != 0 {
                if entry.fd == listener {
                    let client = accept(listener, nil, nil)
                    guard client >= 0 else { continue }
                    var yes: Int32 = 1
                    setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
                    clients[client] = Client()
                    isStale = true
                } else if !serve(entry.fd) {
                    close(entry.fd)
                    clients[entry.fd] = nil
                    held.removeAll { $0 == entry.fd }
                    isStale = true
                }
            }
        }
    }

    /// Responds to the requests that have arrived.
    /// - Returns: false when the client has disconnected.
    private func serve(_ client: Int32) -> Bool {
        let rest = clients[client]?.rest ?? []
        let count = buffer.withUnsafeMutableBytes { bytes in
            rest.withUnsafeBytes { bytes.copyMemory(from: $0) }
            return read(client, bytes.baseAddress.map { $0 + rest.count }, bytes.count - rest.count)
        }
        guard count > 0 else { return false }
        let end = rest.count + count
        var start = 0
        buffer.withUnsafeBytes { bytes in
            // The head ends with CR LF CR LF; looking for LF . LF is enough.
            var index = start + 2
            while index < end {
                if bytes[index] == 10, bytes[index - 2] == 10 {
                    let next = index + 1 + Self.bodyLength(bytes[start...index])
                    // The rest of the body is to come.
                    guard next <= end else { break }
                    respond(to: bytes[start..<end], of: client)
                    start = next
                    index = next + 1
                }
                index += 1
            }
        }
        // A request almost always arrives whole.
        if start < end || !rest.isEmpty { clients[client]?.rest = Array(buffer[start..<end]) }
        return true
    }

    /// The length of a body, by the head before it.
    private static func bodyLength(_ head: Slice<UnsafeRawBufferPointer>) -> Int {
        guard head.first == UInt8(ascii: "P") else { return 0 }
        let name = "content-length:"
        let lines = head.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let value = lines.first { $0.prefix(name.count).lowercased() == name }?.dropFirst(name.count)
        return value.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    private func respond(to request: Slice<UnsafeRawBufferPointer>, of client: Int32) {
        // After `GET /`.
        switch request.dropFirst(5).first {
        case UInt8(ascii: "h"): return held.append(client)
        case UInt8(ascii: "r"):
            for waiting in held { _ = write(waiting, response, response.count) }
            held.removeAll()
        default: break
        }
        _ = write(client, response, response.count)
    }
}

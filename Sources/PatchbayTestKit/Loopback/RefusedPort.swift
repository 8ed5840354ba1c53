public import Foundation
public import HTTPMessages

/// A port of 127.0.0.1 that refuses connections for the lifetime of this object.
///
/// ```swift
/// let port = try RefusedPort()
/// await #expect(throws: TransportError.self) { try await transport.send(HTTPRequest(.get, port.url(of: "/"))) }
/// ```
///
/// The port is bound but not listening, so no other server can get it. The port of a stopped server, in contrast, may
/// be reused by the next server of any test.
public final class RefusedPort: Sendable {
    private let descriptor: Int32
    /// The port.
    public let port: Int
    /// The base URL: `http://127.0.0.1:` and the port.
    public let url: URL

    /// Binds a free port.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public init() throws(LoopbackError) {
        let (descriptor, port) = try Socket.bound(to: 0)
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            _ = close(descriptor)
            throw LoopbackError(.cannotListen, "The address of port \(port) is not a URL.")
        }
        self.descriptor = descriptor
        self.port = port
        self.url = url
    }

    deinit { _ = close(descriptor) }

    /// The URL of a path on this port; the path may have a query.
    /// - Throws: `HTTPMessageError` (`invalidURL`).
    public func url(of path: String) throws(HTTPMessageError) -> URL {
        try URL(httpString: "http://127.0.0.1:\(port)" + path)
    }
}

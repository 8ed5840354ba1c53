public import Foundation
public import HTTPMessages

/// A port of 127.0.0.1 that refuses every connection for as long as this value exists.
///
/// ```swift
/// let port = try RefusedPort()
/// await #expect(throws: TransportError.self) { try await transport.send(HTTPRequest(.get, port.url(of: "/"))) }
/// ```
///
/// The port is bound and does not listen, so no other server can be given it. The port of a server that has stopped is
/// free instead: the next server of any test may get it.
public final class RefusedPort: Sendable {
    private let descriptor: Int32
    /// The port.
    public let port: Int
    /// The address to send requests to: `http://127.0.0.1:` and the port.
    public let url: URL

    /// Binds a port that is free.
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

    /// The URL of a path on this port, with a query if you like.
    /// - Throws: `HTTPMessageError` (`invalidURL`).
    public func url(of path: String) throws(HTTPMessageError) -> URL {
        try HTTPRequest.url(of: "http://127.0.0.1:\(port)" + path)
    }
}

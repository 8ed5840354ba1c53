public import Foundation

/// A connection after the server has switched it to another protocol (RFC 9110, section 7.8): bytes in both directions.
///
/// An engine that supports ``HTTPMessages/RequestOptions/upgradeProtocol`` implements it. There is one reader and one
/// writer at a time. When the last reference is released, the connection closes.
public protocol UpgradedConnection: AnyObject, Sendable {
    /// The thread of the network, for a reader that blocks and computes little: it gets the bytes without another
    /// thread's wakeup. Default nil, for none.
    var executor: (any TaskExecutor)? { get }

    /// Reads the next bytes. While no one calls it, at most a few hundred KiB are received.
    /// - Returns: one byte or more; nil when the peer has ended its side.
    /// - Throws: ``TransportError``, such as `connectionLost`; `cancelled` after ``close()``, or when the task is
    ///   cancelled.
    func read() async throws -> Data?

    /// Sends bytes, and returns when there is room for more. The bytes are sent even if the task is cancelled.
    /// - Throws: ``TransportError`` when the connection is lost or closed.
    func write(_ bytes: Data) async throws

    /// Closes the connection after the bytes that were written. Calls that wait end. It does not wait itself.
    func close()
}

extension UpgradedConnection {
    /// Default: none.
    public var executor: (any TaskExecutor)? { nil }
}

/// A connection whose engine speaks the protocol WebSocket (RFC 6455) itself, so that it carries whole messages.
///
/// There is one reader at a time, and any number of writers.
public protocol WebSocketConnection: AnyObject, Sendable {
    /// Reads the next message.
    /// - Returns: nil when the peer has closed the connection; see ``closeCode``.
    func receive() async throws -> WebSocketConnectionMessage?
    /// Sends a message, and returns when the engine has taken it.
    func send(_ message: WebSocketConnectionMessage) async throws
    /// Sends a ping, and returns when its pong has arrived.
    func ping() async throws
    /// Begins the closing handshake.
    func close(code: Int, reason: Data)
    /// The code and reason with which the peer has closed the connection; nil before.
    var closeCode: (code: Int, reason: Data)? { get }
}

/// A message of a ``WebSocketConnection``.
@nonexhaustive public enum WebSocketConnectionMessage: Hashable, Sendable {
    /// A text.
    case text(String)
    /// Bytes.
    case binary(Data)
}

/// The rest of a connection that has switched protocols; two are equal if they are the same connection.
@nonexhaustive public enum UpgradedStream: Hashable, Sendable {
    /// Bytes, without any framing.
    case bytes(any UpgradedConnection)
    /// Messages of WebSocket, framed by the engine.
    case webSocket(any WebSocketConnection)

    private var identity: ObjectIdentifier {
        switch self {
        case .bytes(let connection): ObjectIdentifier(connection)
        case .webSocket(let connection): ObjectIdentifier(connection)
        }
    }

    /// True for the same connection.
    public static func == (left: UpgradedStream, right: UpgradedStream) -> Bool { left.identity == right.identity }

    /// Hashes the identity of the connection.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

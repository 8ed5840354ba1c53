import Foundation
public import HTTPMessages
import Synchronization

/// An open WebSocket (RFC 6455).
///
/// ```swift
/// let socket = try await stack.webSocket(HTTPRequest(.get, "https://example.com/prices"))
/// try await socket.send(.text("subscribe"))
/// for try await message in socket.messages { show(message) }
/// ```
///
/// Reader, senders, ``ping()`` and ``close(_:reason:)`` may be used by several tasks at the same time. A reader that
/// stops stops the reading from the network, so that the server waits. When the last reference is released, or the
/// reading task is cancelled, the connection closes.
public final class WebSocket: Sendable {
    /// The head of the server's response, with status 101.
    public let head: HTTPResponseHead
    /// The subprotocol that the server has selected, or nil.
    public let subprotocol: String?
    /// True if messages may be compressed.
    public let isCompressing: Bool
    private let driver: any SocketDriver
    /// True if the messages end without an error when the connection is lost, since another socket follows.
    private let endsQuietly: Bool
    private let received = Atomic(false)
    private let isClosing = Atomic(false)

    init(
        _ head: HTTPResponseHead, _ agreement: WebSocketHandshake.Agreement, _ driver: any SocketDriver,
        endsQuietly: Bool = false
    ) {
        self.head = head
        subprotocol = agreement.subprotocol
        isCompressing = agreement.compression != nil
        self.driver = driver
        self.endsQuietly = endsQuietly
    }

    deinit { driver.abandon() }

    /// The received messages, for one reader.
    ///
    /// They end when either side closes the connection in order, and throw ``WebSocketError`` otherwise:
    /// `closedByPeer`, `connectionLost`, `pingTimedOut`, or the peer's error. The messages before the end are delivered
    /// first, unless this side has closed.
    public var messages: Messages { Messages(socket: self) }

    /// Sends a message, and returns when there is room for the next one.
    ///
    /// Messages are sent whole, in the order of the calls of each task.
    /// - Throws: ``WebSocketError``: `closed`, or the error that ended the connection; `cancelled` if the task is
    ///   cancelled before the message is sent.
    public func send(_ message: WebSocketMessage) async throws {
        do { try await driver.send(message) } catch { throw explained(error) }
    }

    /// Sends a ping, and returns the time until its pong.
    ///
    /// The pong arrives behind the messages that the server has sent before, so it needs a reader that keeps up.
    /// - Throws: ``WebSocketError``: `pingTimedOut` after ``WebSocketOptions/pingTimeout``, which does not close the
    ///   connection; `closed`; `cancelled`.
    @discardableResult
    public func ping() async throws -> Duration {
        do { return try await driver.ping() } catch { throw explained(error) }
    }

    /// Closes the connection, and returns when the peer has answered, at the latest after
    /// ``WebSocketOptions/closeTimeout``.
    ///
    /// Messages that arrive meanwhile are dropped. Further calls wait for the same end.
    /// - Parameters:
    ///   - code: one that may be sent (``WebSocketCloseCode/isSendable``), or ``WebSocketCloseCode/noCode``.
    ///   - reason: text for the peer; cut to 123 bytes of UTF-8.
    /// - Returns: the end of the connection, which may be an earlier one.
    /// - Throws: ``WebSocketError`` (`invalidArgument`) for another code.
    @discardableResult
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") async throws -> WebSocketClosure {
        guard code.isSendable || code == .noCode else {
            throw WebSocketError(
                .invalidArgument, "Close code \(code) must not be sent; use 1000, or 3000 to 4999 for the app.")
        }
        if driver.end == nil { isClosing.store(true, ordering: .relaxed) }
        await driver.close(code, reason: reason)
        return closure ?? WebSocketClosure(code: code, reason: reason, isLocal: true)
    }

    /// The end of the connection; nil while it is open.
    public var closure: WebSocketClosure? { driver.end?.closure }

    /// True once this side has begun to close the open connection.
    var hasBegunToClose: Bool { isClosing.load(ordering: .relaxed) }

    /// True once a message was read.
    var hasReceived: Bool { received.load(ordering: .relaxed) }

    /// The error that ended the connection; nil while it is open, and after an orderly end.
    public var failure: WebSocketError? { driver.end?.error.map { explained($0) } }

    private func explained(_ error: WebSocketError) -> WebSocketError {
        var error = error
        error.failingURL = Redaction.standard.redacted(head.url)
        return error
    }

    private func explained(_ error: any Error) -> any Error {
        (error as? WebSocketError).map { explained($0) } ?? error
    }

    /// The messages of a socket.
    public struct Messages: AsyncSequence, Sendable {
        let socket: WebSocket

        /// Makes the iterator; a socket has one reader.
        public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

        /// Reads messages.
        public struct Iterator: AsyncIteratorProtocol {
            let socket: WebSocket

            /// The next message; nil at the end.
            /// - Throws: as ``WebSocket/messages``.
            public mutating func next() async throws -> WebSocketMessage? {
                try await next(isolation: #isolation)
            }

            /// The next message; nil at the end.
            /// - Throws: as ``WebSocket/messages``.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws -> WebSocketMessage? { try await socket.next(isolation: actor) }
        }
    }

    fileprivate func next(isolation actor: isolated (any Actor)?) async throws -> WebSocketMessage? {
        do {
            let message = try await driver.next(isolation: actor)
            if message != nil { received.store(true, ordering: .relaxed) }
            return message
        } catch {
            if endsQuietly, !error.isCancellation { return nil }
            throw explained(error)
        }
    }
}

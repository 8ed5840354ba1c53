import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// A failure of a WebSocket: its handshake, its protocol, or its connection.
public struct WebSocketError: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// The code that was sent to the peer, or that the peer sent; nil if none was.
    public var closeCode: WebSocketCloseCode?
    /// The status of the response to a handshake that was refused, or nil.
    public var status: HTTPStatus?
    /// The redacted URL of the socket, or nil.
    public var failingURL: String?
    /// The error of the connection, or nil.
    public var underlying: (any Error)?

    /// Creates an error. `message` must not contain secrets.
    public init(
        _ code: Code, _ message: String, closeCode: WebSocketCloseCode? = nil, status: HTTPStatus? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.closeCode = closeCode
        self.status = status
        self.underlying = underlying
    }

    /// The URL, the message and the code.
    public var description: String {
        [failingURL, "\(message) [\(code)]"].compactMap(\.self).joined(separator: ": ")
    }
}

extension WebSocketError: StatusCarrying {
    /// The status of the response that came before the failure, or nil.
    package var responseStatus: HTTPStatus? { status }
}

extension ErrorCode where Failure == WebSocketError {
    /// The request or an argument is invalid, such as a method other than GET; nothing was sent.
    public static var invalidArgument: Self { Self(1) }
    /// The server did not switch protocols; ``WebSocketError/status`` tells its response.
    public static var handshakeRefused: Self { Self(2) }
    /// The server's response to the handshake breaks the protocol, or the transport gives no connection.
    public static var invalidHandshake: Self { Self(3) }
    /// The peer broke the protocol; the connection is closed.
    public static var protocolViolation: Self { Self(4) }
    /// A message exceeds the limit; the connection is closed.
    public static var messageTooLarge: Self { Self(5) }
    /// A text or a close reason is not UTF-8; the connection is closed.
    public static var invalidText: Self { Self(6) }
    /// The peer closed the connection with a code that tells of a problem; see ``WebSocketError/closeCode``.
    public static var closedByPeer: Self { Self(7) }
    /// The socket is closed, so nothing can be sent.
    public static var closed: Self { Self(8) }
    /// The connection ended without the closing handshake.
    public static var connectionLost: Self { Self(9) }
    /// The peer did not answer a ping in time.
    public static var pingTimedOut: Self { Self(10) }
    /// The call was cancelled.
    public static var cancelled: Self { Self(11) }
    /// Too many attempts to connect in a row failed.
    public static var tooManyFailures: Self { Self(12) }
}

extension WebSocketError {
    static func violation(_ problem: String) -> WebSocketError {
        WebSocketError(
            .protocolViolation, "The peer broke the WebSocket protocol: \(problem).", closeCode: .protocolError)
    }

    static func invalidText(_ part: String) -> WebSocketError {
        WebSocketError(.invalidText, "Invalid UTF-8 in a \(part) of the peer.", closeCode: .invalidData)
    }

    static func tooLarge(_ limit: Int) -> WebSocketError {
        WebSocketError(
            .messageTooLarge,
            "Message exceeds the limit of \(limit) bytes; raise `WebSocketOptions.maximumMessageBytes`.",
            closeCode: .messageTooLarge)
    }

    static let cancelled = WebSocketError(.cancelled, "The call was cancelled.")
}

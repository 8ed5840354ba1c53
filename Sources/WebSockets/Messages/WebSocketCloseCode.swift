/// A code that says why a WebSocket is closed (RFC 6455, section 7.4).
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number: 1000 to 2999 for the protocol, 3000 to 3999 for registered uses, 4000 to 4999 for the app.
    public let rawValue: UInt16

    /// A code with any number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A code of the app, 4000 to 4999, or any other.
    public init(_ rawValue: UInt16) { self.init(rawValue: rawValue) }

    /// The purpose of the connection is fulfilled (1000).
    public static let normal = Self(1000)
    /// The endpoint goes away: a server stops, or an app leaves the page (1001).
    public static let goingAway = Self(1001)
    /// The peer broke the protocol (1002).
    public static let protocolError = Self(1002)
    /// The endpoint cannot accept this type of data (1003).
    public static let unsupportedData = Self(1003)
    /// The close frame had no code (1005); never sent.
    public static let noCode = Self(1005)
    /// The connection ended without a close frame (1006); never sent.
    public static let abnormal = Self(1006)
    /// The data is invalid, such as a text that is not UTF-8 (1007).
    public static let invalidData = Self(1007)
    /// The message violates a policy (1008).
    public static let policyViolation = Self(1008)
    /// The message is too large (1009).
    public static let messageTooLarge = Self(1009)
    /// The server lacks an extension that the client needs (1010).
    public static let missingExtension = Self(1010)
    /// The server met an unexpected condition (1011).
    public static let internalError = Self(1011)
    /// The server restarts (1012).
    public static let serviceRestart = Self(1012)
    /// The server is overloaded (1013).
    public static let tryAgainLater = Self(1013)

    /// True if a close frame may have this code (RFC 6455, section 7.4, and the registry of IANA).
    public var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// True for an orderly end: ``normal``, ``goingAway`` and ``noCode``.
    public var isOrderly: Bool { self == .normal || self == .goingAway || self == .noCode }

    /// The number.
    public var description: String { String(rawValue) }
}

/// The end of a WebSocket: code and reason, and the side that began it.
public struct WebSocketClosure: Hashable, Sendable, CustomStringConvertible {
    /// The code; ``WebSocketCloseCode/noCode`` for a close frame without a code, ``WebSocketCloseCode/abnormal`` for an
    /// end without a close frame.
    public let code: WebSocketCloseCode
    /// The reason that the peer, or this side, gave; may be empty.
    public let reason: String
    /// True if this side closed the connection.
    public let isLocal: Bool

    /// A closure.
    public init(code: WebSocketCloseCode, reason: String = "", isLocal: Bool) {
        self.code = code
        self.reason = reason
        self.isLocal = isLocal
    }

    /// The side and the code, without the reason: it is text of the peer.
    public var description: String { "closed by \(isLocal ? "this side" : "the peer") (\(code))" }
}

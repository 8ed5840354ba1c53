import Foundation
public import HTTPMessages

/// A failure of one response, which means the same over a socket and in process.
///
/// ```swift
/// let server = try LoopbackServer(script: { _ in [.respond(with: service, fault: .reset(.inBody))] })
/// let transport = ScriptedTransport([.service(service, with: .reset(.inBody)), .service(service)])
/// ```
///
/// The server performs the fault byte by byte. The scripted transport returns or throws what a transport does for such
/// a server, including timeouts: a stream has the head and the bytes before a fault in the body. Such a fault has no
/// effect on a response without a body; one ``Position/inHead`` loses that response too.
///
/// On Linux, URLSession ends the whole process when a connection is closed in the head (fixed in Swift 6.4):
/// ``close(_:)`` with ``Position/inHead`` over a socket. There use ``reset(_:)``, `CurlTransport` or a
/// ``ScriptedTransport``.
///
/// The service is called only if some of its response is sent: not for ``status(_:)``, and not for a fault
/// ``Position/beforeHead``. More cases may be added.
@nonexhaustive public enum Fault: Hashable, Sendable {
    /// The position of a fault in the response.
    @nonexhaustive public enum Position: Hashable, Sendable, CaseIterable {
        /// Before the first byte.
        case beforeHead
        /// After half of the head.
        case inHead
        /// After the head and half of the body.
        case inBody
    }

    /// The response is delayed.
    case latency(Duration)
    /// The connection is reset (RST): `connectionLost`. A head that was already sent may be lost too.
    case reset(Position)
    /// The connection is closed (FIN): `connectionLost`, or `truncated` within the body.
    case close(Position)
    /// The server stops sending and keeps the connection open: `timedOut`; without a timeout the request does not end.
    case stall(Position)
    /// The body arrives in pieces of `size` bytes, at least 1, with a pause after each.
    case drip(size: Int, every: Duration)
    /// `Content-Length` is one more than the body's length, and the connection is closed: `truncated`.
    case overstatedLength
    /// `Content-Length` is half the body's length. The rest is lost undetected.
    case understatedLength
    /// An empty response of this status.
    case status(HTTPStatus)
}

extension Fault.Position: CustomStringConvertible {
    /// The position as text.
    public var description: String {
        switch self {
        case .beforeHead: "before the head"
        case .inHead: "in the head"
        case .inBody: "in the body"
        }
    }
}

extension Fault: CustomStringConvertible {
    /// The fault as text.
    public var description: String {
        switch self {
        case .latency(let duration): "\(duration) late"
        case .reset(let position): "reset \(position)"
        case .close(let position): "closed \(position)"
        case .stall(let position): "stalled \(position)"
        case .drip(let size, let pause): "\(max(1, size)) bytes every \(pause)"
        case .overstatedLength: "length too large"
        case .understatedLength: "length too small"
        case .status(let status): "status \(status.code)"
        }
    }
}

extension HTTPResponse {
    /// This response with half of its body, as ``Fault/Position/inBody`` and ``Fault/understatedLength`` leave it.
    var halved: HTTPResponse {
        var half = self
        half.body = Data(body.prefix(body.count / 2))
        return half
    }

    /// This response with another `Content-Length`, not chunked.
    func stating(length: Int) -> HTTPResponse {
        var stated = self
        stated.head.fields.remove(.transferEncoding)
        stated.head.fields.stateLength(length)
        return stated
    }
}

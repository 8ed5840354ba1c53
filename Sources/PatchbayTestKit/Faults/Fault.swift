import Foundation
public import HTTPMessages

/// Something that goes wrong with one answer: a value that means the same over a socket and without one.
///
/// ```swift
/// let server = try LoopbackServer(plan: { _ in [.answer(by: service, with: .reset(.inBody))] })
/// let transport = ScriptedTransport([.service(service, with: .reset(.inBody)), .service(service)])
/// ```
///
/// The server does what the fault says, byte by byte. The scripted transport ends the call as a transport does that
/// talks to such a server, deadlines included. A fault in the body needs one: an answer without a body then comes whole.
///
/// The service is asked only where some of its answer is sent, so not for ``status(_:)`` and not for what happens
/// ``Place/beforeHead``. More cases may be added.
public enum Fault: Hashable, Sendable {
    /// Where in the answer it happens.
    public enum Place: Hashable, Sendable, CaseIterable {
        /// Before its first byte.
        case beforeHead
        /// After half of its head.
        case inHead
        /// After its head and half of its body.
        case inBody
    }

    /// The answer comes so much later.
    case latency(Duration)
    /// The connection is broken off: `connectionLost`. The head may be lost with it, also where it was sent.
    case reset(Place)
    /// The connection is closed in order: `connectionLost`, and in the body `truncated`.
    case close(Place)
    /// Nothing more comes, and the connection stays: `timedOut`, or no end at all without a deadline.
    case stall(Place)
    /// The body comes in pieces of so many bytes, at least 1, with a pause after each.
    case drip(size: Int, every: Duration)
    /// `Content-Length` says one more than there is, and the connection is closed: `truncated`.
    case overstatedLength
    /// `Content-Length` says half of what there is; the rest is lost, and nobody can tell.
    case understatedLength
    /// An empty response of this status.
    case status(HTTPStatus)
}

extension Fault.Place: CustomStringConvertible {
    /// In words.
    public var description: String {
        switch self {
        case .beforeHead: "before the head"
        case .inHead: "in the head"
        case .inBody: "in the body"
        }
    }
}

extension Fault: CustomStringConvertible {
    /// In words.
    public var description: String {
        switch self {
        case .latency(let duration): "\(duration) late"
        case .reset(let place): "reset \(place)"
        case .close(let place): "closed \(place)"
        case .stall(let place): "stalled \(place)"
        case .drip(let size, let pause): "\(max(1, size)) bytes every \(pause)"
        case .overstatedLength: "length too large"
        case .understatedLength: "length too small"
        case .status(let status): "status \(status.code)"
        }
    }
}

extension HTTPResponse {
    /// This response with half of its body, which is what ``Fault/Place/inBody`` and ``Fault/understatedLength`` leave.
    var halved: HTTPResponse {
        var half = self
        half.body = Data(body.prefix(body.count / 2))
        return half
    }

    /// This response with another `Content-Length`, and not in chunks.
    func stating(length: Int) -> HTTPResponse {
        var stated = self
        stated.head.fields.remove(.transferEncoding)
        stated.head.fields.stateLength(length)
        return stated
    }
}

import Foundation
import HTTPMessages
import Synchronization
import Transport

/// One request for the event thread, as far as the caller's thread can prepare it.
final class Call: Sendable {
    typealias ID = UInt64

    /// The receiver of the response.
    enum Recipient: Sendable {
        /// Resumes with the whole response.
        case buffered(CheckedContinuation<HTTPResponse, any Error>)
        /// Resumes with the head; the body goes to the pipe.
        case streamed(CheckedContinuation<HTTPResponse, any Error>, ResponseBodyPipe)
        /// Resumes with a head without content once the connection is open; its bytes go to the pipe.
        case connected(CheckedContinuation<HTTPResponse, any Error>, SocketPipe)
    }

    private static let lastID = Atomic<ID>(0)

    static func makeID() -> ID { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    let id: ID
    let request: HTTPRequest
    let relay: ObserverRelay?
    let body: RequestBody
    let target: RequestTarget
    let recipient: Recipient

    init(
        _ id: ID, _ request: HTTPRequest, relay: ObserverRelay?, body: RequestBody, target: RequestTarget,
        recipient: Recipient
    ) {
        self.id = id
        self.request = request
        self.relay = relay
        self.body = body
        self.target = target
        self.recipient = recipient
    }

    /// True if the call only connects.
    var isConnecting: Bool { if case .connected = recipient { true } else { false } }

    /// Resumes the caller with an error, for a call that was not submitted.
    func fail(_ error: TransportError) {
        switch recipient {
        case .buffered(let continuation), .streamed(let continuation, _), .connected(let continuation, _):
            continuation.resume(throwing: error)
        }
    }
}

/// A request's URL and header lines, in the form in which libcurl takes them.
struct RequestTarget: Sendable {
    let url: String
    /// Scheme, host and port.
    let origin: String
    /// ``origin``, and where it is connected to if that is elsewhere: what is known of a connection is not known of
    /// another one.
    let slotKey: String
    let isSecure: Bool
    /// The header lines, each terminated by NUL; empty for those of most requests without fields and body.
    let lines: [UInt8]
    /// The header lines with `Expect: 100-continue`; empty for a request that does not ask for it.
    let expectingLines: [UInt8]
    /// The header lines for an HTTP proxy, which libcurl sends to it only: through a tunnel with `CONNECT`.
    let proxyLines: [UInt8]

    /// - Parameter acceptEncoding: the value of `Accept-Encoding`, unless the request sets its own.
    init(_ request: HTTPRequest, acceptEncoding: String) {
        url = request.url.absoluteString
        isSecure = url.hasPrefix("https")
        let authority = url.utf8.dropFirst(isSecure ? 8 : 7)
        let end = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let origin = String(url[..<(end ?? url.endIndex)])
        self.origin = origin
        slotKey = request.options.destination.map { "\(origin) \($0)" } ?? origin
        lines = Self.hasStandardLines(request) ? [] : Self.lines(request, acceptEncoding: acceptEncoding)
        expectingLines =
            request.expectsContinue ? lines.dropLast(Self.noExpectation.count) + Self.expectation : []
        proxyLines = request.fields.reduce(into: []) { lines, field in
            if field.name == .proxyAuthorization { Self.append(field.name, field.value, to: &lines) }
        }
    }

    /// True for a request whose lines are ``standardLines(acceptEncoding:)``.
    private static func hasStandardLines(_ request: HTTPRequest) -> Bool {
        request.fields.isEmpty && request.body.isEmpty && !request.method.expectsContent
            && request.options.acceptsContentCodings
    }

    /// The lines of most requests without fields and body.
    /// - Parameter acceptEncoding: that of requests that accept codings.
    static func standardLines(acceptEncoding: String) -> [UInt8] {
        acceptEncoding.isEmpty ? [] : Array("Accept-Encoding: \(acceptEncoding)\0".utf8)
    }

    /// libcurl sends `name;` as a field without a value, and drops `name:`.
    private static func append(_ name: HTTPFieldName, _ value: String, to lines: inout [UInt8]) {
        lines += name.rawName.utf8
        lines += (value.isEmpty ? ";" : ": ").utf8
        lines += value.utf8
        lines.append(0)
    }

    private static func lines(_ request: HTTPRequest, acceptEncoding: String) -> [UInt8] {
        let fields = request.fields
        var lines: [UInt8] = []
        lines.reserveCapacity(64 + fields.count * 32)
        // Credentials of a proxy must not reach the server (RFC 9110, section 11.7.2).
        for field in fields where field.name != .cookie && field.name != .proxyAuthorization {
            append(field.name, field.value, to: &lines)
        }
        // One line for all cookies (RFC 6265, section 5.4).
        let cookies = fields.values(of: .cookie)
        if !cookies.isEmpty { append(.cookie, cookies.joined(separator: "; "), to: &lines) }
        if !acceptEncoding.isEmpty, !fields.contains(.acceptEncoding) {
            append(.acceptEncoding, acceptEncoding, to: &lines)
        }
        if let trailers = request.options.trailers?.fields, !trailers.isEmpty {
            lines += "Trailer: \(trailers.map(\.name.rawName).joined(separator: ", "))\0".utf8
        }
        if request.body.isEmpty {
            // A server may refuse a request with neither a length nor chunks (411, RFC 9110, section 8.6).
            if request.method.expectsContent, !fields.contains(.contentLength) {
                lines += "Content-Length: 0\0".utf8
            }
        } else {
            // libcurl would declare the body as a form, and wait for `100 Continue`.
            if !fields.contains(.contentType) { append(.contentType, "application/octet-stream", to: &lines) }
            lines += noExpectation
        }
        return lines
    }

    /// The last line of a request with a body.
    private static let noExpectation = Array("Expect:\0".utf8)
    private static let expectation = Array("Expect: 100-continue\0".utf8)
}

extension HTTPMethod {
    /// True for a method whose definition gives the content a meaning.
    fileprivate var expectsContent: Bool { [.post, .put, .patch, .query].contains(self) }
}

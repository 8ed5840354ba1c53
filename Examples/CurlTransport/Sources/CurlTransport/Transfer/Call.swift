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
        /// Resumes with the head; the body goes to the buffer.
        case streamed(CheckedContinuation<HTTPResponse, any Error>, ResponseBuffer)
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

    /// Resumes the caller with an error, for a call that was not submitted.
    func fail(_ error: TransportError) {
        switch recipient {
        case .buffered(let continuation), .streamed(let continuation, _): continuation.resume(throwing: error)
        }
    }
}

/// A request's URL and header lines, in the form in which libcurl takes them.
struct RequestTarget: Sendable {
    let url: String
    /// Scheme, host and port.
    let origin: String
    let isSecure: Bool
    /// The header lines, each terminated by NUL; empty for those of a request without fields and body.
    let lines: [UInt8]

    /// - Parameter acceptEncoding: the value of `Accept-Encoding`, unless the request sets its own.
    init(_ request: HTTPRequest, acceptEncoding: String) {
        url = request.url.absoluteString
        isSecure = url.hasPrefix("https")
        let authority = url.utf8.dropFirst(isSecure ? 8 : 7)
        let end = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        origin = String(url[..<(end ?? url.endIndex)])
        lines =
            request.fields.isEmpty && request.body.isEmpty
            ? [] : Self.lines(request.fields, hasBody: !request.body.isEmpty, acceptEncoding: acceptEncoding)
    }

    /// The lines of a request without fields and body.
    static func standardLines(acceptEncoding: String) -> [UInt8] {
        lines(HTTPFields(), hasBody: false, acceptEncoding: acceptEncoding)
    }

    /// libcurl sends `name;` as a field without a value, and drops `name:`.
    private static func lines(_ fields: HTTPFields, hasBody: Bool, acceptEncoding: String) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(64 + fields.count * 32)
        func append(_ name: String, _ value: String) {
            lines += name.utf8
            if value.isEmpty {
                lines.append(UInt8(ascii: ";"))
            } else {
                lines += ": ".utf8
                lines += value.utf8
            }
            lines.append(0)
        }
        for field in fields where field.name != .cookie { append(field.name.rawName, field.value) }
        // One line for all cookies (RFC 6265, section 5.4).
        let cookies = fields.values(of: .cookie)
        if !cookies.isEmpty { append(HTTPFieldName.cookie.rawName, cookies.joined(separator: "; ")) }
        if !acceptEncoding.isEmpty, !fields.contains(.acceptEncoding) {
            append(HTTPFieldName.acceptEncoding.rawName, acceptEncoding)
        }
        if hasBody {
            // libcurl would declare the body as a form, and wait for `100 Continue`.
            if !fields.contains(.contentType) { append(HTTPFieldName.contentType.rawName, "application/octet-stream") }
            lines += "Expect:".utf8
            lines.append(0)
        }
        return lines
    }
}

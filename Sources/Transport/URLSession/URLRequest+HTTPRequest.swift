import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The engine's form of a transfer's request, with the body unless that is a file; nil when the body cannot be opened,
    /// which then fails the transfer.
    init?(_ transfer: Transfer, _ upload: BodyUpload) {
        let request = transfer.request
        self.init(url: request.url)
        httpMethod = request.method.name
        cachePolicy = .patchbay
        timeoutInterval = .longerThanAnyRequest
        httpShouldHandleCookies = false
        allHTTPHeaderFields = request.fields.lines(for: transfer.body)
        switch upload {
        case .none, .file: break
        case .bytes(let data): httpBody = data
        case .spool:
            // A file that was whole when the transfer was submitted, and was changed while it waited for its slot.
            transfer.failed(
                .unreadableBody, "Request body is a file that was changed before it was sent; send it again.",
                underlying: HTTPMessageError(.bodyLengthMismatch, "The body has not the length that it stated."))
            return nil
        #if !canImport(Darwin)
            case .stream:
                guard let stream = RequestBodyStream(transfer) else { return nil }
                httpBodyStream = stream
        #endif
        }
    }
}

extension NSURLRequest.CachePolicy {
    /// No cache is asked, since the session has none.
    static var patchbay: NSURLRequest.CachePolicy {
        #if canImport(Darwin)
            // The policies that name the cache are said to add `Cache-Control: no-cache` and `Pragma: no-cache`.
            .useProtocolCachePolicy
        #else
            .reloadIgnoringLocalCacheData
        #endif
    }
}

extension TimeInterval {
    // Deadlines are our own: the engine's timer counts whole seconds. On Linux it is made anew with every line of the
    // head and every piece of the body, which wakes a thread each time, unless it is so late that it is never set at all.
    // The engine counts milliseconds in 64 bits.
    #if canImport(Darwin)
        static let longerThanAnyRequest: TimeInterval = 86_400
    #else
        static let longerThanAnyRequest: TimeInterval = 1e12
    #endif
    /// Ten years, for a stream that lasts: the engine's own limit is a week. Linux has none.
    static let longerThanAnyStream: TimeInterval = 10 * 365 * 86_400
}

extension HTTPRequest {
    /// Fields that describe the connection or the framing, which are the engine's to send.
    private static let reservedFields: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Checks what only a transport can say no to.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`), `TransportError` (`reservedField`, `unsupported`).
    func checkForURLSession() throws {
        try options.timeouts.validate()
        if let field = fields.first(where: { Self.reservedFields.contains($0.name.canonical) }) {
            throw TransportError(
                .reservedField, "The transport sets the header \(field.name); remove it from the request.",
                request: self)
        }
        #if !canImport(Darwin)
            if origin.host.utf8.contains(UInt8(ascii: ":")) {
                throw TransportError(
                    .unsupported, "URLSession on Linux supports no IPv6 address as a host; use a host name.",
                    request: self)
            }
        #endif
    }
}

extension HTTPFields {
    /// The fields for the engine, each name once and with those that frame the body. Set in one go, since each
    /// `setValue` searches and copies them all.
    fileprivate func lines(for body: HTTPBody) -> [String: String] {
        var lines: [String: String] = [:]
        for (index, field) in enumerated() where !self[..<index].contains(where: { $0.name == field.name }) {
            let more = self[(index + 1)...].lazy.filter { $0.name == field.name }
            let joint = field.name == .cookie ? "; " : ", "
            lines[field.name.spelling] = more.reduce(field.value) { $0 + joint + $1.value }
        }
        if !body.isEmpty {
            // Without a type the engine says that the body is a form.
            if !contains(.contentType) { lines[HTTPFieldName.contentType.spelling] = MediaType.octetStream.essence }
            // On Apple's platforms the engine states the length of what it is given, which is bytes or a file.
            #if !canImport(Darwin)
                if let length = body.length {
                    lines[HTTPFieldName.contentLength.spelling] = String(length)
                    // A blank value takes the field away. Else the engine states a length and sends chunks.
                    lines[HTTPFieldName.transferEncoding.spelling] = " "
                }
            #endif
        }
        return lines
    }
}

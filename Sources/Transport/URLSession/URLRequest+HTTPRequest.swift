import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The engine's form of a transfer's request; nil when its body cannot be opened, which then fails the transfer.
    init?(_ transfer: Transfer) {
        let request = transfer.request
        self.init(url: request.url)
        httpMethod = request.method.name
        cachePolicy = .reloadIgnoringLocalCacheData
        // Deadlines are our own. The engine's timer counts whole seconds, and cannot count very many.
        timeoutInterval = 86_400
        httpShouldHandleCookies = false
        for field in request.fields {
            let joint = field.name == .cookie ? "; " : ", "
            let earlier = value(forHTTPHeaderField: field.name.spelling)
            setValue(earlier.map { $0 + joint + field.value } ?? field.value, forHTTPHeaderField: field.name.spelling)
        }
        let body = transfer.body
        guard !body.isEmpty else { return }
        if !request.fields.contains(.contentType) {
            // Without one the engine says that the body is a form.
            setValue(MediaType.octetStream.essence, forHTTPHeaderField: "Content-Type")
        }
        if let length = body.length {
            setValue(String(length), forHTTPHeaderField: "Content-Length")
            #if !canImport(Darwin)
                // A blank value takes the field away. Else the engine states a length and sends chunks.
                setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            #endif
        }
        guard body.length != 0 else {
            httpBody = Data()
            return
        }
        #if canImport(Darwin)
            if case .bytes(let data) = body.source {
                httpBody = data
                return
            }
        #endif
        guard let stream = RequestBodyStream(transfer) else { return nil }
        httpBodyStream = stream
    }
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
                .reservedField, "The header \(field.name) is the transport's own; remove it.", request: self)
        }
        #if !canImport(Darwin)
            if let host = url.host(percentEncoded: true), host.contains(":") || host.hasPrefix("[") {
                throw TransportError(
                    .unsupported, "On Linux, URLSession takes no IPv6 address as a host; use a name.", request: self)
            }
        #endif
    }

    /// What shares a connection limit: scheme, host and port.
    var origin: String {
        let scheme = url.scheme?.lowercased() ?? ""
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(url.host(percentEncoded: true)?.lowercased() ?? ""):\(port)"
    }
}

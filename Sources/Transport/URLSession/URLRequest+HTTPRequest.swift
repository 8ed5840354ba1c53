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
        let body = transfer.body
        allHTTPHeaderFields = request.fields.lines(for: body)
        guard !body.isEmpty else { return }
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

extension HTTPFields {
    /// The fields for the engine, each name once and with those that frame the body. Set in one go, since each
    /// `setValue` searches and copies them all.
    fileprivate func lines(for body: HTTPBody) -> [String: String] {
        var values: [HTTPFieldName: String] = [:]
        for field in self {
            let joint = field.name == .cookie ? "; " : ", "
            values[field.name] = values[field.name].map { $0 + joint + field.value } ?? field.value
        }
        if !body.isEmpty {
            // Without a type the engine says that the body is a form.
            if values[.contentType] == nil { values[.contentType] = MediaType.octetStream.essence }
            if let length = body.length {
                values[.contentLength] = String(length)
                #if !canImport(Darwin)
                    // A blank value takes the field away. Else the engine states a length and sends chunks.
                    values[.transferEncoding] = " "
                #endif
            }
        }
        return Dictionary(uniqueKeysWithValues: values.map { ($0.key.spelling, $0.value) })
    }
}

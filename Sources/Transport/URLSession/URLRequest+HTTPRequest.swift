import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// Converts a transfer's request with its body.
    /// - Throws: `unreadableBody` when the body cannot be opened.
    init(_ transfer: Transfer, _ upload: RequestBodyUpload) throws(TransportError) {
        self.init(transfer.request, lines: transfer.request.fields.lines(for: transfer.body, upload))
        if transfer.needsOwnConnection { setValue("close", forHTTPHeaderField: "Connection") }
        switch upload {
        case .none: break
        case .bytes(let data): httpBody = data
        case .file: httpBodyStream = upload.systemStream
        // The file's size has changed while the transfer waited for a slot.
        case .spool: throw TransportError.changedBody(of: transfer.request)
        #if !canImport(Darwin)
            case .stream: httpBodyStream = try RequestBodyStream(transfer)
        #endif
        }
    }
}

extension URLRequest {
    /// Converts a request for a background session, which gets the body as a file and has its own timeouts.
    init(inBackground request: HTTPRequest) {
        self.init(request, lines: request.fields.lines(for: request.body, .none))
        timeoutInterval = 60
    }

    /// Converts a request without its body.
    private init(_ request: HTTPRequest, lines: [String: String]) {
        self.init(url: request.url)
        httpMethod = request.method.name
        cachePolicy = .patchbay
        timeoutInterval = .longerThanAnyRequest
        httpShouldHandleCookies = false
        var lines = lines
        // Of a coded file the range would be a part of its coded bytes.
        let acceptsCodings = request.options.acceptsContentCodings && !request.fields.contains(.range)
        if !acceptsCodings, !request.fields.contains(.acceptEncoding) {
            lines["Accept-Encoding"] = "identity"
        }
        #if canImport(Darwin)
            if request.options.httpVersion == .http3 { assumesHTTP3Capable = true }
        #endif
        allHTTPHeaderFields = lines
    }
}

extension Transfer {
    /// True to send the request over a connection of its own.
    ///
    /// libcurl sends a request again by itself when a kept connection turns out to be closed. It asks for the body
    /// before, so ``SessionDelegate`` can prevent that; without a body it does not.
    var needsOwnConnection: Bool {
        if request.options.hasLayerOptions, request.options.usesNewConnection { return true }
        #if canImport(Darwin)
            return false
        #else
            return !request.method.isIdempotent && body.length == 0 && !request.fields.contains(.idempotencyKey)
        #endif
    }

    /// A stream for an engine that sends the body once more; nil without a body, or if the transfer fails.
    func newSystemStream() -> InputStream? {
        let upload = RequestBodyUpload(body, for: .files)
        if case .spool = upload { failed(with: .changedBody(of: request)) }
        return upload.systemStream
    }
}

extension TransportError {
    fileprivate static func changedBody(of request: HTTPRequest) -> TransportError {
        TransportError(
            .unreadableBody, "Request body is a file that changed before it was sent; send it again.",
            request: request,
            underlying: HTTPMessageError(
                .bodyLengthMismatch, "Body length differs from its declared length; send a file that no longer changes."
            ))
    }
}

extension NSURLRequest.CachePolicy {
    /// The cache policy for a session without a cache.
    static var patchbay: NSURLRequest.CachePolicy {
        #if canImport(Darwin)
            // The policies that ignore the cache reportedly add `Cache-Control: no-cache` and `Pragma: no-cache`.
            .useProtocolCachePolicy
        #else
            .reloadIgnoringLocalCacheData
        #endif
    }
}

extension TimeInterval {
    // `TransferState` implements the timeouts; the engine's timer has a resolution of one second. On Linux,
    // Foundation re-arms that timer for every header line and body chunk, which wakes a thread each time, unless it
    // is so late that it is never armed. Foundation traps for values near 2^63 milliseconds.
    #if canImport(Darwin)
        static let longerThanAnyRequest: TimeInterval = 86_400
    #else
        static let longerThanAnyRequest: TimeInterval = 1e12
    #endif
    /// Ten years, for endless streams; the default on Apple's platforms is a week, and Linux ignores it.
    static let longerThanAnyStream: TimeInterval = 10 * 365 * 86_400
}

extension HTTPRequest {
    /// Validates a request for this transport.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`), `TransportError` (`reservedField`, `unsupported`).
    func checkForURLSession() throws {
        // The timeout for connecting has an error of its own below, which says what to set instead.
        try checkForEngine { $0 == .connectTimeout || options.hasURLSession($0) }
        try checkBodies(for: .current)
        if options.timeouts.connect != nil {
            throw TransportError(
                .unsupported,
                "URLSession has no timeout for connecting; set `Timeouts.response`, which includes it, or use "
                    + "CurlTransport.", request: self)
        }
        #if !canImport(Darwin)
            if origin.host.utf8.contains(UInt8(ascii: ":")) {
                throw TransportError(
                    .unsupported, "URLSession on Linux does not support IPv6 addresses as hosts; use a host name.",
                    request: self)
            }
        #endif
    }

    /// Refuses limits of the bandwidth that the engine would run ahead of.
    func checkBodies(for engine: EngineKind) throws(TransportError) {
        let paced = options.pacedBodies
        let isRefused = paced.contains(.upload) || engine == .libcurl && paced.contains(.download)
        guard isRefused else { return }
        throw TransportError(
            .unsupported,
            engine == .libcurl
                ? "URLSession on Linux cannot limit the bandwidth: it collects bodies; use CurlTransport."
                : "URLSession cannot limit the bandwidth of request bodies: it collects them; limit downloads only.",
            request: self)
    }
}

extension RequestOptions {
    /// True for a feature that URLSession has on this platform.
    fileprivate func hasURLSession(_ feature: EngineFeature) -> Bool {
        #if canImport(Darwin)
            switch feature {
            case .upgrades: upgradeProtocol?.lowercased() == "websocket"
            case .httpVersion(.http3): true
            case .connectTimeout, .expectations, .httpVersion, .nameOverrides, .requestTrailers, .unixSockets: false
            }
        #else
            false
        #endif
    }
}

extension HTTPFields {
    /// The fields for the engine, one line per name, with the framing fields of the body.
    ///
    /// Assigned as a dictionary, since each `setValue` call searches and copies all fields.
    fileprivate func lines(for body: HTTPBody, _ upload: RequestBodyUpload) -> [String: String] {
        var lines: [String: String] = [:]
        #if !canImport(Darwin)
            // A blank value removes the field; otherwise the engine sends the language of its process.
            lines[HTTPFieldName.acceptLanguage.rawName] = " "
        #endif
        for (index, field) in enumerated() where !self[..<index].contains(where: { $0.name == field.name }) {
            let more = self[(index + 1)...].lazy.filter { $0.name == field.name }
            let separator = field.name == .cookie ? "; " : ", "
            if field.name == .acceptLanguage { lines[HTTPFieldName.acceptLanguage.rawName] = nil }
            lines[field.name.rawName] = more.reduce(field.value) { $0 + separator + $1.value }
        }
        if !body.isEmpty {
            // Without a media type the engine declares the body as a form.
            if !contains(.contentType) { lines[HTTPFieldName.contentType.rawName] = MediaType.octetStream.essence }
            #if canImport(Darwin)
                // The engine knows the length of bytes. With a stream it sends this field instead of chunked coding
                // (https://github.com/swiftlang/swift-corelibs-foundation/issues/4818).
                let length = upload.isFile ? body.length : nil
            #else
                let length = body.length
                // A blank value removes the field; otherwise the engine sends a length and chunked coding.
                if length != nil { lines[HTTPFieldName.transferEncoding.rawName] = " " }
            #endif
            if let length { lines[HTTPFieldName.contentLength.rawName] = String(length) }
        }
        return lines
    }
}

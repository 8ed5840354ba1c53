import Foundation
import HTTPMessages

/// Classifies libcurl's errors, as reported by Foundation on Linux.
///
/// Most failures have the code -1 and differ only in libcurl's text, so the text is matched first, then the code. The
/// texts are those of libcurl 7 and 8 with OpenSSL; they are always in English.
enum LibcurlRules {
    typealias Meaning = EngineFailure.Meaning

    /// - Parameters:
    ///   - environment: the environment variables, which may set a proxy.
    ///   - lacksDescriptors: whether the process can open no socket now. libcurl does not tell that from a refused
    ///     connection or an unknown host, whose own socket is closed again by now.
    /// - Returns: nil when neither the text nor the code is known.
    static func meaning(
        of error: EngineError, origin: Origin, environment: @autoclosure () -> [String: String],
        lacksDescriptors: @autoclosure () -> Bool
    ) -> Meaning? {
        let meaning = meaning(of: error, origin: origin, environment: environment())
        guard connectionCodes.contains(meaning?.code ?? .unknown), lacksDescriptors() else { return meaning }
        return .lackOfDescriptors
    }

    /// The codes of failures to make a connection.
    private static let connectionCodes: Set<TransportError.Code> = [
        .connectionRefused, .unreachable, .hostNotFound, .proxy, .tls, .unknown,
    ]

    private static func meaning(
        of error: EngineError, origin: Origin, environment: @autoclosure () -> [String: String]
    ) -> Meaning? {
        if let peer = FailedConnection(error.text) {
            return peer.meaning(
                isRefused: error.urlErrorCode == NSURLErrorCannotConnectToHost
                    || error.text.contains("Connection refused"),
                isProxy: peer.isProxy(for: origin, environment: environment()))
        }
        if let failure = CertificateFailure(error.text) { return failure.meaning }
        if let rule = byText.first(where: { error.text.range(of: $0.text, options: .caseInsensitive) != nil }) {
            return rule.meaning(error.text)
        }
        guard let code = error.urlErrorCode, var meaning = byCode[code] else { return nil }
        if quotedCodes.contains(code) { meaning.detail = error.text }
        return meaning
    }

    private struct Rule {
        let text: String
        private let meaning: Meaning
        /// True when the error message should include the engine's text.
        private let quotesText: Bool

        init(
            _ text: String, _ code: TransportError.Code, _ problem: String,
            _ tlsFailure: TransportError.TLSFailure? = nil, advice: String? = nil, quotesText: Bool = false
        ) {
            self.text = text
            self.quotesText = quotesText
            meaning = Meaning(code, problem, tlsFailure, advice: advice)
        }

        func meaning(_ text: String) -> Meaning {
            var meaning = meaning
            if quotesText { meaning.detail = text }
            return meaning
        }
    }

    // The first rule whose text occurs applies. Texts that contain a host name come first: a host may be named
    // tls.example.com or header.example.com.
    private static let byText: [Rule] = [
        Rule("Could not resolve proxy", .proxy, "Proxy not found", advice: ProxyEnvironment.advice, quotesText: true),
        Rule("Could not resolve host", .hostNotFound, "Host not found"),
        Rule("Connection refused", .connectionRefused, "Connection refused"),
        Rule("No route to host", .unreachable, "No route to host"),
        Rule("Network is unreachable", .unreachable, "Network is unreachable"),
        Rule("Couldn't connect", .connectionRefused, "Connection refused"),
        Rule("CONNECT tunnel failed", .proxy, "Proxy refused the tunnel", quotesText: true),
        Rule("Proxy CONNECT", .proxy, "Proxy closed the connection", quotesText: true),
        Rule("from proxy after CONNECT", .proxy, "Proxy refused the tunnel", quotesText: true),
        Rule("SOCKS4", .proxy, "SOCKS proxy failed", quotesText: true),
        Rule("SOCKS5", .proxy, "SOCKS proxy failed", quotesText: true),
        Rule("proxy scheme", .proxy, "Proxy is not usable", advice: ProxyEnvironment.advice, quotesText: true),
        Rule(
            "wrong version number", .tls, "TLS handshake failed", .handshake,
            advice: "The server may speak plain HTTP on this port.", quotesText: true),
        Rule(
            "certificate required", .tls, "Server requires a client certificate", .handshake,
            advice: "URLSession on Linux cannot send one.", quotesText: true),
        // Of an open connection; an alert is of the handshake, which TLS 1.3 may refuse late.
        Rule("SSL_read: error:0A000126", .connectionLost, "Connection closed without a TLS closure alert"),
        Rule("SSL_read: SSL_ERROR_SYSCALL", .connectionLost, "Connection lost while receiving"),
        Rule("SSL_read: Connection", .connectionLost, "Connection lost while receiving"),
        Rule("SSL_write", .connectionLost, "Connection lost while sending"),
        Rule("SSL", .tls, "TLS handshake failed", .handshake, quotesText: true),
        Rule("TLS", .tls, "TLS handshake failed", .handshake, quotesText: true),
        Rule("Empty reply", .connectionLost, "Connection closed without a response"),
        Rule("remaining", .truncated, "Connection closed before the end of the body"),
        Rule("Connection reset", .connectionLost, "Connection reset"),
        Rule("Broken pipe", .connectionLost, "Connection lost while sending"),
        Rule("Send failure", .connectionLost, "Connection lost while sending"),
        Rule("Recv failure", .connectionLost, "Connection lost while receiving"),
        Rule("rewind", .connectionLost, "Connection lost, and the request body was not sent again"),
        Rule("Connection died", .connectionLost, "Connection lost", quotesText: true),
        Rule("content unencoding", .undecodableContent, "Response body cannot be decoded", quotesText: true),
        Rule("content encoding", .undecodableContent, "Response has an unknown content coding", quotesText: true),
        // Foundation takes all bytes, so it is a decoder of libcurl that refuses some.
        Rule(
            "Failed writing received data", .undecodableContent, "Response body cannot be decoded",
            advice: "A gzip body of several members is not supported here; send Accept-Encoding: identity.",
            quotesText: true),
        Rule("Received HTTP/0.9", .malformedResponse, "Response is not HTTP/1.1 or HTTP/2"),
        Rule("Content-Length", .malformedResponse, "Response has an invalid Content-Length"),
        Rule("Too large response headers", .malformedResponse, "Response head is too large", quotesText: true),
        Rule("Out of memory", .malformedResponse, "Response head has a line that is too long"),
        Rule("header", .malformedResponse, "Response head cannot be parsed", quotesText: true),
        Rule("Nul byte", .malformedResponse, "Response head cannot be parsed", quotesText: true),
        // libcurl's text for a first header line that is a continuation line.
        Rule("function was given a bad argument", .malformedResponse, "Response head cannot be parsed"),
        Rule("chunk", .malformedResponse, "Chunked response body cannot be parsed", quotesText: true),
        Rule("HTTP/2", .connectionLost, "HTTP/2 stream or connection closed", quotesText: true),
    ]

    /// The codes of `NSURLErrorDomain`, as Foundation on Linux uses them.
    private static let byCode: [Int: Meaning] = [
        -999: Meaning(.cancelled, "The call was cancelled"),
        -1000: Meaning(
            .unsupported, "URLSession does not support this host",
            advice: "Use a host name, or an IPv4 address of four numbers."),
        -1001: Meaning(.timedOut, "Timed out in the engine"),
        -1002: Meaning(.malformedResponse, "Response is not HTTP"),
        -1003: Meaning(.hostNotFound, "Host not found"),
        -1004: Meaning(.connectionRefused, "Connection refused"),
        -1005: Meaning(.connectionLost, "Connection lost"),
        -1009: Meaning(.unreachable, "No network connection"),
        -1011: Meaning(.connectionLost, "Connection closed without a response"),
        -1015: Meaning(.undecodableContent, "Response body cannot be decoded"),
        -1016: Meaning(.undecodableContent, "Response body cannot be decoded"),
        -1017: Meaning(.malformedResponse, "Response cannot be parsed"),
        -1200: Meaning(.tls, "TLS handshake failed", .handshake),
        -1201: Meaning(.tls, "Certificate expired or not yet valid", .expiredCertificate),
        -1202: Meaning(.tls, "Certificate not trusted", .untrustedCertificate),
        -1203: Meaning(.tls, "Certificate not trusted", .untrustedCertificate),
        -1204: Meaning(.tls, "Certificate not yet valid", .expiredCertificate),
    ]

    /// The codes whose error message should include the engine's text.
    private static let quotedCodes: Set<Int> = [-1002, -1200]
}

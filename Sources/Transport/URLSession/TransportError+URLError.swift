import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Transfer {
    /// Ends the transfer with the engine's error, as the kind of failure that it really is.
    func failed(_ error: any Error) {
        let failure = EngineFailure(error, origin: request.origin)
        failed(failure.code, failure.message, tlsFailure: failure.tlsFailure, underlying: failure.underlying)
    }
}

/// The meaning of an error of URLSession.
///
/// On Linux most failures have one code (-1) and differ in libcurl's text only, so the text decides first, and the code
/// where the text is unknown. The texts are those of libcurl 7 and 8 with OpenSSL.
struct EngineFailure {
    let code: TransportError.Code
    let message: String
    var tlsFailure: TransportError.TLSFailure?
    /// The engine's error without the URL, whose query may hold secrets.
    let underlying: any Error

    /// - Parameters:
    ///   - origin: the origin of the request.
    ///   - environment: the variables of the process, which may set a proxy.
    init(
        _ original: any Error, origin: Origin,
        environment: @autoclosure () -> [String: String] = ProcessInfo.processInfo.environment
    ) {
        let error = original as NSError
        let text = error.localizedDescription.withoutUserInfo
        let userInfo = [NSLocalizedDescriptionKey: text]
        underlying =
            (original as? URLError).map { URLError($0.code, userInfo: userInfo) }
            ?? NSError(domain: error.domain, code: error.code, userInfo: userInfo)
        let address = origin.address
        if let peer = FailedConnection(text) {
            let isRefused = error.code == NSURLErrorCannotConnectToHost || text.contains("Connection refused")
            let problem = isRefused ? "Connection refused" : "No route to host"
            if peer.isProxy(for: origin, environment: environment()) {
                (code, tlsFailure) = (.proxy, nil)
                message =
                    "\(problem): proxy \(peer.host):\(peer.port) for \(address). \(ProxyEnvironment.advice)"
            } else {
                (code, tlsFailure) = (isRefused ? .connectionRefused : .unreachable, nil)
                message = "\(problem): \(address)."
            }
            return
        }
        if let failure = CertificateFailure(text, address: address) {
            (code, message, tlsFailure) = (.tls, failure.message, failure.kind)
            return
        }
        let meaning =
            Self.byText.first { text.range(of: $0.text, options: .caseInsensitive) != nil }?.meaning
            ?? Self.byCode[error.code]
        guard let meaning else {
            (code, message, tlsFailure) = (.unknown, "Engine failure: \(text).", nil)
            return
        }
        code = meaning.code
        tlsFailure = meaning.tlsFailure
        message =
            "\(meaning.problem): \(meaning.code == .hostNotFound ? origin.host : address)"
            + (meaning.quotesText ? " (\(text))." : ".") + (meaning.advice.map { " " + $0 } ?? "")
    }

    private struct Meaning {
        let code: TransportError.Code
        /// The start of the message, before the address.
        let problem: String
        var tlsFailure: TransportError.TLSFailure?
        /// What to do about it.
        var advice: String?
        /// True when the engine's text says more than the problem does.
        var quotesText = false
    }

    private struct Rule {
        let text: String
        let meaning: Meaning
        init(
            _ text: String, _ code: TransportError.Code, _ problem: String,
            _ tlsFailure: TransportError.TLSFailure? = nil, advice: String? = nil, quotesText: Bool = false
        ) {
            self.text = text
            meaning = Meaning(
                code: code, problem: problem, tlsFailure: tlsFailure, advice: advice, quotesText: quotesText)
        }
    }

    // The first rule whose text occurs decides. Texts that name the host come first: a host may be called
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
        Rule("Received HTTP/0.9", .malformedResponse, "Response is not HTTP/1.1 or HTTP/2"),
        Rule("Content-Length", .malformedResponse, "Response has an invalid Content-Length"),
        Rule("Too large response headers", .malformedResponse, "Response head is too large", quotesText: true),
        Rule("Out of memory", .malformedResponse, "Response head has a line that is too long"),
        Rule("header", .malformedResponse, "Response head cannot be parsed", quotesText: true),
        Rule("Nul byte", .malformedResponse, "Response head cannot be parsed", quotesText: true),
        // libcurl's complaint about a first line that continues no other one.
        Rule("function was given a bad argument", .malformedResponse, "Response head cannot be parsed"),
        Rule("chunk", .malformedResponse, "Chunked response body cannot be parsed", quotesText: true),
        Rule("HTTP/2", .connectionLost, "HTTP/2 stream or connection closed", quotesText: true),
    ]

    private static let byCode: [Int: Meaning] = [
        -1000: Meaning(
            code: .unsupported, problem: "URLSession does not support this host",
            advice: "Use a host name, or an IPv4 address of four numbers."),
        -999: Meaning(code: .cancelled, problem: "The call was cancelled"),
        -1001: Meaning(code: .timedOut, problem: "Timed out in the engine"),
        -1002: Meaning(code: .malformedResponse, problem: "Response is not HTTP", quotesText: true),
        -1003: Meaning(code: .hostNotFound, problem: "Host not found"),
        -1004: Meaning(code: .connectionRefused, problem: "Connection refused"),
        -1005: Meaning(code: .connectionLost, problem: "Connection lost"),
        -1009: Meaning(code: .unreachable, problem: "No network connection"),
        -1011: Meaning(code: .connectionLost, problem: "Connection closed without a response"),
        -1015: Meaning(code: .undecodableContent, problem: "Response body cannot be decoded"),
        -1016: Meaning(code: .undecodableContent, problem: "Response body cannot be decoded"),
        -1017: Meaning(code: .malformedResponse, problem: "Response cannot be parsed"),
        -1200: Meaning(code: .tls, problem: "TLS handshake failed", tlsFailure: .handshake, quotesText: true),
        -1201: Meaning(
            code: .tls, problem: "Certificate expired or not yet valid", tlsFailure: .expiredCertificate),
        -1202: Meaning(code: .tls, problem: "Certificate not trusted", tlsFailure: .untrustedCertificate),
        -1203: Meaning(code: .tls, problem: "Certificate not trusted", tlsFailure: .untrustedCertificate),
        -1204: Meaning(code: .tls, problem: "Certificate not yet valid", tlsFailure: .expiredCertificate),
    ]
}

extension String {
    /// The text with what stands for a user and a password in its URLs removed. libcurl quotes the URL of a proxy.
    fileprivate var withoutUserInfo: String {
        replacing(#/:\/\/[^\s\/?#']*@/#) { _ in "://" }
    }
}

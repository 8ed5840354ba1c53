import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Transfer {
    /// Ends the transfer with the engine's error, as the kind of failure that it really is.
    func failed(_ error: any Error) {
        let failure = EngineFailure(error)
        failed(failure.code, failure.message, tlsFailure: failure.tlsFailure, underlying: failure.underlying)
    }
}

/// What an error of the engine's means.
///
/// On Linux most failures have one code (-1) and differ only in libcurl's text, so the text decides first and the code
/// where it says nothing. The texts are those of libcurl 7 and 8.
struct EngineFailure {
    let code: TransportError.Code
    let message: String
    var tlsFailure: TransportError.TLSFailure?
    /// The engine's error without the URL, whose query may hold secrets.
    let underlying: any Error

    init(_ original: any Error) {
        let error = original as NSError
        let text = error.localizedDescription
        underlying =
            (original as? URLError).map { URLError($0.code, userInfo: [NSLocalizedDescriptionKey: text]) } ?? original
        for rule in Self.rules where text.range(of: rule.text, options: .caseInsensitive) != nil {
            code = rule.code
            message = rule.message
            tlsFailure = rule.tlsFailure
            return
        }
        (code, message, tlsFailure) = Self.byCode[error.code] ?? (.unknown, "The engine failed: \(text).", nil)
    }

    private typealias Meaning = (code: TransportError.Code, message: String, tlsFailure: TransportError.TLSFailure?)

    private struct Rule {
        let text: String
        let code: TransportError.Code
        let message: String
        let tlsFailure: TransportError.TLSFailure?
        init(
            _ text: String, _ code: TransportError.Code, _ message: String,
            _ tlsFailure: TransportError.TLSFailure? = nil
        ) {
            self.text = text
            self.code = code
            self.message = message
            self.tlsFailure = tlsFailure
        }
    }

    // Texts that name the host come first: a host may be called tls.example.com or header.example.com.
    private static let rules: [Rule] = [
        Rule("CONNECT tunnel failed", .proxy, "The proxy refused to connect."),
        Rule("Could not resolve proxy", .proxy, "The proxy's name has no address."),
        Rule("Could not resolve host", .hostNotFound, "The host's name has no address."),
        Rule("Connection refused", .connectionRefused, "Nobody listens at that host and port."),
        Rule("No route to host", .unreachable, "There is no way to the host."),
        Rule("Network is unreachable", .unreachable, "There is no way to the host."),
        Rule("Failed to connect", .connectionRefused, "Nobody listens at that host and port."),
        Rule("Couldn't connect", .connectionRefused, "Nobody listens at that host and port."),
        Rule("certificate has expired", .tls, "The server's certificate has expired.", .expiredCertificate),
        Rule("certificate is not yet valid", .tls, "The server's certificate is not valid yet.", .expiredCertificate),
        Rule("no alternative certificate", .tls, "The server's certificate is for another host.", .hostMismatch),
        Rule("does not match target host", .tls, "The server's certificate is for another host.", .hostMismatch),
        Rule("certificate problem", .tls, "The server's certificate is not trusted.", .untrustedCertificate),
        Rule("SSL", .tls, "TLS could not be agreed on.", .handshake),
        Rule("TLS", .tls, "TLS could not be agreed on.", .handshake),
        Rule("Empty reply", .connectionLost, "The server closed the connection without an answer."),
        Rule("remaining", .truncated, "The connection ended before the body did."),
        Rule("Connection reset", .connectionLost, "The connection broke."),
        Rule("Broken pipe", .connectionLost, "The connection broke."),
        Rule("Send failure", .connectionLost, "The connection broke."),
        Rule("Recv failure", .connectionLost, "The connection broke."),
        Rule("rewind", .connectionLost, "The connection broke, and the body was not sent again."),
        Rule("content unencoding", .undecodableContent, "The body's content coding could not be undone."),
        Rule("content encoding", .undecodableContent, "The body has a content coding that the engine does not know."),
        Rule("Received HTTP/0.9", .malformedResponse, "What came back is not HTTP."),
        Rule("header", .malformedResponse, "The head of the response cannot be read."),
        Rule("Nul byte", .malformedResponse, "The head of the response cannot be read."),
        Rule("Out of memory", .malformedResponse, "The head of the response is too large."),
        Rule("chunk", .malformedResponse, "The response's chunks cannot be read."),
        Rule("HTTP/2", .connectionLost, "The HTTP/2 connection or stream broke."),
    ]

    private static let byCode: [Int: Meaning] = [
        -1000: (.unsupported, "The engine does not take this URL.", nil),
        -999: (.cancelled, "The call was cancelled.", nil),
        -1001: (.timedOut, "The engine's own timeout passed.", nil),
        -1002: (.malformedResponse, "What came back is not HTTP.", nil),
        -1003: (.hostNotFound, "The host's name has no address.", nil),
        -1004: (.connectionRefused, "Nobody listens at that host and port.", nil),
        -1005: (.connectionLost, "The connection broke.", nil),
        -1009: (.unreachable, "There is no network.", nil),
        -1011: (.connectionLost, "The server closed the connection without an answer.", nil),
        -1015: (.undecodableContent, "The body's content coding could not be undone.", nil),
        -1016: (.undecodableContent, "The body's content coding could not be undone.", nil),
        -1017: (.malformedResponse, "The response cannot be read.", nil),
        -1200: (.tls, "TLS could not be agreed on.", .handshake),
        -1201: (.tls, "The server's certificate is not valid at this time.", .expiredCertificate),
        -1202: (.tls, "The server's certificate is not trusted.", .untrustedCertificate),
        -1203: (.tls, "The server's certificate is not trusted.", .untrustedCertificate),
        -1204: (.tls, "The server's certificate is not valid yet.", .expiredCertificate),
    ]
}

import Foundation
import HTTPMessages
import Transport

/// The failure of a transfer in libcurl: its result code, and its text, which differs between versions.
struct TransferFailure {
    let code: CInt
    /// libcurl's text, without credentials of proxies.
    let text: String
    /// The system's error of the last connection attempt.
    let systemError: CInt
    /// True if the request was not sent, so that all that was received is of a proxy.
    let isBeforeRequest: Bool
    /// The host and port of the request's origin.
    let address: (host: String, port: Int)

    init(code: CInt, text: String, systemError: CInt, isBeforeRequest: Bool = false, url: URL) {
        self.code = code
        self.text = text.withoutUserInfo
        self.systemError = systemError
        self.isBeforeRequest = isBeforeRequest
        let host = url.host() ?? ""
        address = (host, url.port ?? (url.scheme == "https" ? 443 : 80))
    }

    /// True if the session of an HTTP/2 connection has failed, with all of its streams.
    var endsHTTP2Session: Bool { text.contains("nghttp2") }

    struct Meaning {
        let code: TransportError.Code
        let problem: String
        var tlsFailure: TransportError.TLSFailure?
        /// True to append libcurl's text, which has details.
        var isQuoted = false
    }

    /// The classified error.
    func error(in state: borrowing TransferState) -> TransportError {
        let cause = CurlError(.transfer, "libcurl: \(text)", curlCode: Int(code))
        guard code != 28 else {
            return state.timedOut(.connect, "Timed out: no connection to \(place) in time.", underlying: cause)
        }
        var meaning = meaning
        if code == 18, state.head == nil {
            meaning = Meaning(code: .connectionLost, problem: "Connection closed without a response")
        }
        let place = meaning.code == .hostNotFound ? address.host : place
        let separator = meaning.problem.hasSuffix("for") ? " " : ": "
        return state.error(
            meaning.code, "\(meaning.problem)\(separator)\(place)" + (meaning.isQuoted ? " (\(text))." : "."),
            tlsFailure: meaning.tlsFailure, underlying: cause)
    }

    private var place: String { "\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(address.port)" }

    /// The result codes of `curl.h`.
    private var meaning: Meaning {
        switch code {
        case 5: Meaning(code: .proxy, problem: "Proxy not found for", isQuoted: true)
        case 6: Meaning(code: .hostNotFound, problem: "Host not found")
        case 7: connectionFailure
        case 97: Meaning(code: .proxy, problem: "Proxy failed for", isQuoted: true)
        case 18: Meaning(code: .truncated, problem: "Connection closed before the end of the body")
        case 52: Meaning(code: .connectionLost, problem: "Connection closed without a response")
        case 65: Meaning(code: .connectionLost, problem: "Connection lost, and the request body was not sent again")
        case 55, 56: lostConnection
        case 16, 92, 95: Meaning(code: .connectionLost, problem: "HTTP/2 stream or connection closed", isQuoted: true)
        case 1, 8, 27, 43, 100: malformed
        case 61: Meaning(code: .undecodableContent, problem: "Response body cannot be decoded", isQuoted: true)
        case 3: Meaning(code: .unsupported, problem: "URL is not supported by libcurl", isQuoted: true)
        // libcurl's text names the feature.
        case 4: Meaning(code: .unsupported, problem: "libcurl was built without a feature for", isQuoted: true)
        // For HTTP, libcurl has one use for this code.
        case 25: Meaning(code: .unsupported, problem: "HTTP/1.0 server requires a request body of declared length")
        case 35, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: tls
        default: Meaning(code: .unknown, problem: "libcurl failed (\(code))", isQuoted: true)
        }
    }

    private var connectionFailure: Meaning {
        // The text names the host and port of the peer, which may be a proxy.
        if let peer = text.firstMatch(of: #/connect to (\S+) port (\d+)/#),
            peer.1 != address.host || peer.2 != "\(address.port)"
        {
            let name = "\(peer.1.contains(":") ? "[\(peer.1)]" : peer.1):\(peer.2)"
            return Meaning(code: .proxy, problem: "\(unreachability.problem): proxy \(name) for")
        }
        if text.localizedCaseInsensitiveContains("proxy") || text.contains("SOCKS") {
            return Meaning(code: .proxy, problem: "Proxy failed for", isQuoted: true)
        }
        return unreachability
    }

    private var unreachability: Meaning {
        switch systemError {
        case EMFILE, ENFILE:
            Meaning(
                code: .unknown,
                problem: "Out of file descriptors; close some, or raise the limit of the process; no connection to")
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN: Meaning(code: .unreachable, problem: "No route to host")
        case ETIMEDOUT: Meaning(code: .unreachable, problem: "Host does not respond")
        case ECONNREFUSED, 0: Meaning(code: .connectionRefused, problem: "Connection refused")
        default: Meaning(code: .connectionRefused, problem: "Connection failed", isQuoted: true)
        }
    }

    private var lostConnection: Meaning {
        // libcurl has refused what it was to keep (NGHTTP2_ERR_CALLBACK_FAILURE).
        if text.contains("-902") {
            return Meaning(
                code: .malformedResponse, problem: "HTTP/2 connection closed, because a response head is too large")
        }
        if text.contains("CONNECT") || text.contains("from proxy") {
            return Meaning(code: .proxy, problem: "Proxy refused the tunnel to", isQuoted: true)
        }
        if text.contains("certificate required") || text.contains("alert") || text.contains("bad certificate") {
            return Meaning(
                code: .tls, problem: "Server closed the TLS connection", tlsFailure: .handshake, isQuoted: true)
        }
        if text.localizedCaseInsensitiveContains("chunk") || text.contains("header") || text.contains("Content-Length")
        {
            return malformed
        }
        return Meaning(
            code: .connectionLost,
            problem: code == 55 ? "Connection lost while sending" : "Connection lost while receiving")
    }

    private var malformed: Meaning {
        if isBeforeRequest {
            return Meaning(code: .proxy, problem: "Proxy sent an invalid response for", isQuoted: true)
        }
        return text.contains("HTTP/0.9")
            ? Meaning(code: .malformedResponse, problem: "Response is not HTTP/1.1 or HTTP/2")
            : Meaning(code: .malformedResponse, problem: "Response cannot be parsed", isQuoted: true)
    }

    private var tls: Meaning {
        if code == 90 {
            return Meaning(
                code: .tls, problem: "Public key is not among the pinned ones", tlsFailure: .untrustedCertificate)
        }
        if code == 60 || code == 83 || code == 91 {
            if text.contains("expired") || text.contains("not yet valid") {
                return Meaning(
                    code: .tls, problem: "Certificate expired or not yet valid", tlsFailure: .expiredCertificate)
            }
            if text.contains("subject name") || text.contains("does not match") || text.contains("mismatch") {
                return Meaning(code: .tls, problem: "Certificate is for another host", tlsFailure: .hostMismatch)
            }
            return Meaning(
                code: .tls, problem: "Certificate not trusted", tlsFailure: .untrustedCertificate, isQuoted: true)
        }
        return Meaning(code: .tls, problem: "TLS handshake failed", tlsFailure: .handshake, isQuoted: true)
    }
}

extension String {
    /// The text without users and passwords in its URLs.
    ///
    /// libcurl quotes the URL of a proxy of the environment. One that it cannot parse, perhaps because of the
    /// characters of its password, is left out, with all that follows if the text was cut off.
    fileprivate var withoutUserInfo: String {
        guard hasPrefix("Unsupported proxy"), let start = firstIndex(of: "'"), let end = lastIndex(of: "'") else {
            return replacing(#/:\/\/[^\s\/?#']*@/#) { _ in "://" }
        }
        let isWhole = start < end && utf8.count < CurlConstant.errorBufferSize - 1
        return "\(self[..<start])its URL\(isWhole ? self[end...].dropFirst() : "")"
    }
}

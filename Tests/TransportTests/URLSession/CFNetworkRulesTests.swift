import Foundation
import HTTPMessages
import Testing

@testable import Transport

/// Errors as on Apple's platforms, with texts in several languages.
@Suite struct CFNetworkRulesTests {
    private static let cfNetwork = "kCFErrorDomainCFNetwork"

    private static func failure(
        _ domain: String, _ code: Int, text: String = "-", stream: (code: Int, domain: Int)? = nil,
        underlying: NSError? = nil, host: String = "h", isBodyIncomplete: Bool = false
    ) throws -> EngineFailure {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: text]
        userInfo["_kCFStreamErrorCodeKey"] = stream?.code
        userInfo["_kCFStreamErrorDomainKey"] = stream?.domain
        userInfo[NSUnderlyingErrorKey] = underlying
        return EngineFailure(
            NSError(domain: domain, code: code, userInfo: userInfo), engine: .cfNetwork,
            origin: Origin(try URL(httpString: "https://\(host)/")), isBodyIncomplete: isBodyIncomplete,
            environment: [:])
    }

    private static let byCode: [(String, Int, TransportError.Code, TransportError.TLSFailure?, String)] = [
        (NSURLErrorDomain, -1, .unknown, nil, "Engine failure: NSURLErrorDomain -1 (-)."),
        (NSURLErrorDomain, -999, .connectionLost, nil, "URLSession cancelled the request: h:443. Another request"),
        (NSURLErrorDomain, -1000, .unsupported, nil, "URLSession does not support this URL: h:443."),
        (NSURLErrorDomain, -1001, .timedOut, nil, "Timed out in the engine: h:443."),
        (NSURLErrorDomain, -1002, .unsupported, nil, "URLSession does not support this URL: h:443."),
        (NSURLErrorDomain, -1003, .hostNotFound, nil, "Host not found: h."),
        (NSURLErrorDomain, -1004, .connectionRefused, nil, "Connection refused: h:443."),
        (NSURLErrorDomain, -1005, .connectionLost, nil, "Connection lost: h:443."),
        (NSURLErrorDomain, -1006, .hostNotFound, nil, "Host not found: h."),
        (NSURLErrorDomain, -1007, .malformedResponse, nil, "Redirect cannot be followed: h:443."),
        (NSURLErrorDomain, -1008, .malformedResponse, nil, "Resource is unavailable: h:443."),
        (NSURLErrorDomain, -1009, .unreachable, nil, "No network connection: h:443."),
        (NSURLErrorDomain, -1010, .malformedResponse, nil, "Redirect cannot be followed: h:443."),
        (NSURLErrorDomain, -1011, .malformedResponse, nil, "Response cannot be parsed: h:443."),
        (NSURLErrorDomain, -1012, .unsupported, nil, "URLSession stopped at an authentication challenge: h:443."),
        (NSURLErrorDomain, -1013, .unsupported, nil, "URLSession stopped at an authentication challenge: h:443."),
        (NSURLErrorDomain, -1014, .connectionLost, nil, "Connection closed without a response: h:443."),
        (NSURLErrorDomain, -1015, .undecodableContent, nil, "Response body cannot be decoded: h:443."),
        (NSURLErrorDomain, -1016, .undecodableContent, nil, "Response body cannot be decoded: h:443."),
        (NSURLErrorDomain, -1017, .malformedResponse, nil, "Response cannot be parsed: h:443."),
        (NSURLErrorDomain, -1018, .unreachable, nil, "No network connection, since international roaming is off"),
        (NSURLErrorDomain, -1019, .unreachable, nil, "No network connection during a phone call: h:443."),
        (NSURLErrorDomain, -1020, .unreachable, nil, "Cellular network does not allow data: h:443."),
        (NSURLErrorDomain, -1021, .connectionLost, nil, "Connection lost, and the request body was not sent again"),
        (
            NSURLErrorDomain, -1022, .unsupported, nil,
            "App Transport Security does not allow http: h:443. Use https, or add an exception to Info.plist "
                + "(NSAppTransportSecurity)."
        ),
        (NSURLErrorDomain, -1100, .unreadableBody, nil, "File to upload does not exist: h:443."),
        (NSURLErrorDomain, -1101, .unreadableBody, nil, "File to upload is a folder: h:443."),
        (NSURLErrorDomain, -1102, .unreadableBody, nil, "Permission denied reading the file to upload: h:443."),
        (NSURLErrorDomain, -1103, .responseTooLarge, nil, "Response body is larger than URLSession allows: h:443."),
        (NSURLErrorDomain, -1200, .tls, .handshake, "TLS handshake failed: h:443."),
        (NSURLErrorDomain, -1201, .tls, .expiredCertificate, "Certificate expired or not yet valid: h:443."),
        (NSURLErrorDomain, -1202, .tls, .untrustedCertificate, "Certificate not trusted: h:443. To trust"),
        (NSURLErrorDomain, -1203, .tls, .untrustedCertificate, "Certificate not trusted: h:443. To trust"),
        (NSURLErrorDomain, -1204, .tls, .expiredCertificate, "Certificate not yet valid: h:443. The clock"),
        (NSURLErrorDomain, -1205, .tls, .handshake, "Server did not accept the client certificate: h:443."),
        (
            NSURLErrorDomain, -1206, .tls, .handshake,
            "Server requires a client certificate: h:443. Set `NetworkOptions.clientCertificate`."
        ),
        (NSURLErrorDomain, 61, .unknown, nil, "Engine failure: NSURLErrorDomain 61 (-)."),
        (
            NSPOSIXErrorDomain, 24, .unknown, nil,
            "Out of file descriptors: h:443. Close some, or raise the limit of the process (ulimit -n)."
        ),
        (NSPOSIXErrorDomain, 28, .temporaryStorage, nil, "Disk full: h:443."),
        (NSPOSIXErrorDomain, 40, .unreachable, nil, "Packet too large for the network: h:443."),
        (NSPOSIXErrorDomain, 49, .unreachable, nil, "Local address is not available: h:443."),
        (NSPOSIXErrorDomain, 64, .unreachable, nil, "Host is down: h:443."),
        (NSPOSIXErrorDomain, 89, .connectionLost, nil, "URLSession cancelled the request: h:443."),
        (NSPOSIXErrorDomain, 100, .malformedResponse, nil, "Protocol error: h:443."),
        (NSOSStatusErrorDomain, -9807, .tls, .untrustedCertificate, "Certificate not trusted: h:443."),
        (NSOSStatusErrorDomain, -9843, .tls, .hostMismatch, "Certificate is for another host: h:443."),
        (NSOSStatusErrorDomain, -1, .unknown, nil, "Engine failure: NSOSStatusErrorDomain -1 (-)."),
        (NSPOSIXErrorDomain, 32, .connectionLost, nil, "Connection lost while sending: h:443."),
        (NSPOSIXErrorDomain, 50, .unreachable, nil, "Network is unreachable: h:443."),
        (NSPOSIXErrorDomain, 51, .unreachable, nil, "Network is unreachable: h:443."),
        (NSPOSIXErrorDomain, 53, .connectionLost, nil, "Connection lost: h:443."),
        (NSPOSIXErrorDomain, 54, .connectionLost, nil, "Connection reset: h:443."),
        (NSPOSIXErrorDomain, 57, .connectionLost, nil, "Connection lost: h:443."),
        (NSPOSIXErrorDomain, 60, .timedOut, nil, "Timed out in the engine: h:443."),
        (NSPOSIXErrorDomain, 61, .connectionRefused, nil, "Connection refused: h:443."),
        (NSPOSIXErrorDomain, 65, .unreachable, nil, "No route to host: h:443."),
        (NSPOSIXErrorDomain, -1005, .unknown, nil, "Engine failure: NSPOSIXErrorDomain -1005 (-)."),
        (cfNetwork, 1, .hostNotFound, nil, "Host not found: h."),
        (cfNetwork, 120, .proxy, nil, "Proxy failed: h:443. The proxy is set in"),
        (cfNetwork, 302, .connectionLost, nil, "Connection lost: h:443."),
        (cfNetwork, 303, .malformedResponse, nil, "Response cannot be parsed: h:443."),
        (cfNetwork, 306, .proxy, nil, "Proxy failed: h:443."),
        (cfNetwork, 310, .proxy, nil, "Proxy failed: h:443."),
        (cfNetwork, 311, .proxy, nil, "Proxy refused the tunnel: h:443."),
        (cfNetwork, -1005, .connectionLost, nil, "Connection lost: h:443."),
        (cfNetwork, -1202, .tls, .untrustedCertificate, "Certificate not trusted: h:443."),
        (cfNetwork, 61, .unknown, nil, "Engine failure: kCFErrorDomainCFNetwork 61 (-)."),
        (NSCocoaErrorDomain, -1005, .unknown, nil, "Engine failure: NSCocoaErrorDomain -1005 (-)."),
    ]

    @Test(arguments: byCode.indices) func `classifies by domain and code`(index: Int) throws {
        let (domain, code, expected, tlsFailure, message) = Self.byCode[index]
        let failure = try Self.failure(domain, code)
        #expect(failure.code == expected && failure.tlsFailure == tlsFailure, "\(domain) \(code)")
        #expect(failure.message.hasPrefix(message), "\(failure.message)")
    }

    @Test(arguments: [
        "Le certificat de ce serveur n’est pas valide. Il se peut que vous vous connectiez à « tls.example.com ».",
        "The certificate for this server is invalid. You might be connecting to “header-api.example”.",
        "Connection refused", "Could not resolve proxy: p", "certificate has expired", "Empty reply from server",
        "SSL certificate problem: certificate has expired",
        "Failed to connect to h port 443 after 0 ms: Couldn't connect to server", "remaining", "",
    ])
    func `ignores texts`(text: String) throws {
        let untrusted = try Self.failure(NSURLErrorDomain, -1202, text: text)
        #expect(untrusted.code == .tls && untrusted.tlsFailure == .untrustedCertificate)
        #expect(try Self.failure(NSURLErrorDomain, -1005, text: text).code == .connectionLost)
        #expect(try Self.failure(NSURLErrorDomain, -1, text: text).code == .unknown)
    }

    private static let byStatus: [(Int, Int?, TransportError.TLSFailure, String)] = [
        (-1202, -9843, .hostMismatch, "Certificate is for another host: h:443."),
        (-1202, -9814, .expiredCertificate, "Certificate expired: h:443."),
        (-1202, -9815, .expiredCertificate, "Certificate not yet valid: h:443. The clock of this device may be slow."),
        (-1202, -9807, .untrustedCertificate, "Certificate not trusted: h:443. To trust"),
        (-1202, -9812, .untrustedCertificate, "Certificate not trusted: h:443. To trust"),
        (-1202, -9813, .untrustedCertificate, "Certificate not trusted: h:443. To trust"),
        (-1202, -9999, .untrustedCertificate, "Certificate not trusted: h:443 (Secure Transport status -9999). To"),
        (-1200, -9843, .hostMismatch, "Certificate is for another host: h:443."),
        (-1200, -9814, .expiredCertificate, "Certificate expired: h:443."),
        (-1200, -9813, .untrustedCertificate, "Certificate not trusted: h:443."),
        (-1200, -9824, .handshake, "TLS handshake failed: h:443 (Secure Transport status -9824)."),
        (-1200, nil, .handshake, "TLS handshake failed: h:443."),
        // These codes are specific.
        (-1201, -9813, .expiredCertificate, "Certificate expired or not yet valid: h:443."),
        (-1203, -9814, .untrustedCertificate, "Certificate not trusted: h:443."),
        (
            -1206, -9829, .handshake,
            "Server requires a client certificate: h:443. Set `NetworkOptions.clientCertificate`."
        ),
    ]

    @Test(arguments: byStatus.indices)
    func `the Secure Transport status distinguishes TLS failures`(index: Int) throws {
        let (code, status, tlsFailure, message) = Self.byStatus[index]
        let stream = status.map { (code: $0, domain: 3) }
        let inner = NSError(
            domain: Self.cfNetwork, code: code,
            userInfo: status.map { ["_kCFStreamErrorCodeKey": $0, "_kCFStreamErrorDomainKey": 3] } ?? [:])
        // The status may be in the error, or only in an underlying one.
        for failure in [
            try Self.failure(NSURLErrorDomain, code, stream: stream),
            try Self.failure(NSURLErrorDomain, code, underlying: inner),
            try Self.failure("Other", 7, underlying: inner),
        ] {
            #expect(failure.code == .tls && failure.tlsFailure == tlsFailure, "\(code) \(status ?? 0)")
            #expect(failure.message.hasPrefix(message), "\(failure.message)")
        }
    }

    @Test(arguments: [
        (61, 1, TransportError.Code.connectionRefused), (65, 1, .unreachable), (51, 1, .unreachable),
        (-2200, 4, .connectionRefused), (65, 4, .connectionRefused), (54, 1, .connectionRefused),
    ])
    func `distinguishes unreachable hosts from refused connections`(
        code: Int, domain: Int, expected: TransportError.Code
    ) throws {
        #expect(try Self.failure(NSURLErrorDomain, -1004, stream: (code, domain)).code == expected)
    }

    @Test(arguments: [
        (NSURLErrorDomain, -1005), (NSURLErrorDomain, -1014), (NSPOSIXErrorDomain, 54), (NSPOSIXErrorDomain, 32),
        (NSPOSIXErrorDomain, 53), (NSPOSIXErrorDomain, 57), (cfNetwork, 302), (cfNetwork, -1005),
    ])
    func `a closed connection truncates an incomplete body`(domain: String, code: Int) throws {
        #expect(try Self.failure(domain, code).code == .connectionLost)
        let failure = try Self.failure(domain, code, stream: (-4, 4), isBodyIncomplete: true)
        #expect(failure.code == .truncated)
        #expect(failure.message == "Connection closed before the end of the body: h:443.")
        let inner = NSError(domain: domain, code: code)
        #expect(try Self.failure("Other", 7, underlying: inner, isBodyIncomplete: true).code == .truncated)
    }

    @Test(arguments: [-999, -1001, -1009, -1015, -1017, -1021, -1202])
    func `other failures do not truncate`(code: Int) throws {
        let whole = try Self.failure(NSURLErrorDomain, code)
        let part = try Self.failure(NSURLErrorDomain, code, isBodyIncomplete: true)
        #expect(part.code == whole.code && part.message == whole.message && whole.code != .truncated)
    }

    @Test(arguments: [
        ("printer.local", true), ("10.0.0.1", true), ("172.16.0.1", true), ("172.31.255.255", true),
        ("192.168.1.1", true), ("169.254.1.1", true), ("[fe80::1]", true), ("[fd00::1]", true),
        ("h", false), ("local", false), ("11.0.0.1", false), ("172.15.0.1", false), ("172.32.0.1", false),
        ("192.169.1.1", false), ("10.example.com", false), ("10.0.0.1.example", false), ("10.0.1", false),
        ("[2001:db8::1]", false), ("127.0.0.1", false),
    ])
    func `an unreachable host of the local network may need the user's consent`(host: String, isLocal: Bool) throws {
        for (domain, code) in [(NSURLErrorDomain, -1009), (NSPOSIXErrorDomain, 50)] {
            let failure = try Self.failure(domain, code, host: host)
            #expect(failure.code == .unreachable && failure.message.contains("local network") == isLocal)
        }
        #expect(try !Self.failure(NSURLErrorDomain, -1004, host: host).message.contains("local network"))
    }

    @Test func `an unknown error is classified by its underlying error`() throws {
        let reset = NSError(domain: NSPOSIXErrorDomain, code: 54)
        let wrapped = NSError(domain: "Other", code: 3, userInfo: [NSUnderlyingErrorKey: reset])
        #expect(try Self.failure(NSURLErrorDomain, -1, underlying: reset).code == .connectionLost)
        #expect(try Self.failure("Other", 7, underlying: wrapped).code == .connectionLost)
        // A known error is classified by itself.
        #expect(try Self.failure(NSURLErrorDomain, -1001, underlying: reset).code == .timedOut)
        #expect(try Self.failure("Other", 7, underlying: NSError(domain: "Other", code: 8)).code == .unknown)
    }
}

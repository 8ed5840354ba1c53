import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct LibcurlRulesTests {
    private static let table: [(String, TransportError.Code, TransportError.TLSFailure?)] = [
        (
            "connect to tls.example.com port 443 failed: Connection refused", .connectionRefused, nil
        ),
        ("Could not resolve host: ssl.header.chunk.example", .hostNotFound, nil),
        ("connect to 1.2.3.4 port 80 failed: Network is unreachable", .unreachable, nil),
        ("connect to 1.2.3.4 port 80 failed: No route to host", .unreachable, nil),
        ("Could not resolve proxy: tls.example", .proxy, nil),
        ("CONNECT tunnel failed, response 407", .proxy, nil),
        ("SSL certificate problem: certificate has expired", .tls, .expiredCertificate),
        ("SSL certificate problem: certificate is not yet valid", .tls, .expiredCertificate),
        ("SSL certificate problem: self-signed certificate", .tls, .untrustedCertificate),
        ("SSL certificate problem: unable to get local issuer certificate", .tls, .untrustedCertificate),
        ("SSL: no alternative certificate subject name matches target host name 'a.b'", .tls, .hostMismatch),
        ("OpenSSL SSL_connect: Connection reset by peer in connection to host:443", .tls, .handshake),
        ("TLS connect error: error:0A000126:SSL routines::unexpected eof", .tls, .handshake),
        ("OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", .connectionLost, nil),
        ("OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 104", .connectionLost, nil),
        ("OpenSSL SSL_read: Connection reset by peer, errno 104", .connectionLost, nil),
        ("OpenSSL SSL_write: Broken pipe, errno 32", .connectionLost, nil),
        ("Empty reply from server", .connectionLost, nil),
        ("Recv failure: Connection reset by peer", .connectionLost, nil),
        ("Send failure: Broken pipe", .connectionLost, nil),
        ("necessary data rewind wasn't possible", .connectionLost, nil),
        ("transfer closed with 5 bytes remaining to read", .truncated, nil),
        ("transfer closed with outstanding read data remaining", .truncated, nil),
        ("Error while processing content unencoding: incorrect header check", .undecodableContent, nil),
        ("Unrecognized content encoding type. libcurl understands gzip", .undecodableContent, nil),
        ("Failed writing received data to disk/application", .undecodableContent, nil),
        ("Received HTTP/0.9 when not allowed", .malformedResponse, nil),
        ("Failed writing header", .malformedResponse, nil),
        ("HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .connectionLost, nil),
        ("Something new", .unknown, nil),
        ("Invalid Content-Length: value", .malformedResponse, nil),
        ("A libcurl function was given a bad argument", .malformedResponse, nil),
        ("Too large response headers: 307205 > 307200", .malformedResponse, nil),
        ("Connection died, tried 5 times before giving up", .connectionLost, nil),
        ("Proxy CONNECT aborted", .proxy, nil),
        ("Received HTTP code 407 from proxy after CONNECT", .proxy, nil),
        ("Unsupported proxy scheme for 'foo://p:1'", .proxy, nil),
        ("Received invalid version in initial SOCKS5 response.", .proxy, nil),
        ("SOCKS4 reply has wrong version, version should be 0.", .proxy, nil),
        ("SSL: no alternative certificate subject name matches target host name 'socks5.example'", .tls, .hostMismatch),
        ("SSL certificate problem: self-signed certificate in certificate chain", .tls, .untrustedCertificate),
        ("SSL certificate problem: certificate revoked", .tls, .untrustedCertificate),
        ("server certificate verification failed. CAfile: none CRLfile: none", .tls, .untrustedCertificate),
        ("SSL: certificate subject name 'a.b' does not match target host name 'c'", .tls, .hostMismatch),
        ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", .tls, .handshake),
        ("OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required", .tls, .handshake),
    ]

    private static func failure(
        _ text: String, code: Int = -1, url: String = "https://h/", environment: [String: String] = [:],
        lacksDescriptors: Bool = false
    ) throws -> EngineFailure {
        let error = NSError(domain: NSURLErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: text])
        return EngineFailure(
            error, engine: .libcurl, origin: Origin(try URL(httpString: url)), environment: environment,
            lacksDescriptors: lacksDescriptors)
    }

    @Test(arguments: table.indices) func `classifies by text`(index: Int) throws {
        let (text, code, tlsFailure) = Self.table[index]
        let failure = try Self.failure(text)
        #expect(failure.code == code && failure.tlsFailure == tlsFailure, "\(text)")
    }

    @Test(arguments: [
        (-999, TransportError.Code.cancelled), (-1000, .unsupported), (-1001, .timedOut),
        (-1002, .malformedResponse),
        (-1003, .hostNotFound), (-1004, .connectionRefused), (-1005, .connectionLost), (-1009, .unreachable),
        (-1011, .connectionLost), (-1015, .undecodableContent), (-1016, .undecodableContent),
        (-1017, .malformedResponse), (-1200, .tls), (-1202, .tls), (-1, .unknown), (-4711, .unknown),
    ])
    func `classifies unknown texts by code`(code: Int, expected: TransportError.Code) throws {
        #expect(try Self.failure("-", code: code).code == expected)
    }

    private static let authority =
        "To trust a private authority, add its certificate to the system's bundle (update-ca-certificates or "
        + "update-ca-trust); URLSession on Linux has no setting for it."

    private static let proxy =
        "On Linux a proxy is set by http_proxy, https_proxy or all_proxy in the environment; no_proxy lists exceptions."

    private static let messages: [(text: String, code: Int, message: String)] = [
        ("Failed to connect to h port 443 after 0 ms: Couldn't connect to server", -1004, "Connection refused: h:443."),
        ("Failed to connect to h port 443 after 9 ms: Couldn't connect to server", -1, "No route to host: h:443."),
        ("Could not resolve host: h", -1003, "Host not found: h."),
        (
            "SSL certificate problem: self-signed certificate", -1,
            "Certificate is self-signed: h:443 (self-signed certificate). " + authority
        ),
        (
            "SSL certificate problem: unable to get local issuer certificate", -1,
            "Certificate not trusted: h:443 (unable to get local issuer certificate). " + authority
        ),
        ("SSL certificate problem: certificate has expired", -1, "Certificate expired: h:443."),
        (
            "SSL: certificate subject name 'other.example' does not match target host name 'h'", -1,
            "Certificate is for another host: h:443. It names other.example."
        ),
        (
            "SSL: no alternative certificate subject name matches target host name 'h'", -1,
            "Certificate is for another host: h:443. It does not name this host."
        ),
        ("Could not resolve proxy: p", -1, "Proxy not found: h:443 (Could not resolve proxy: p). " + proxy),
        ("Empty reply from server", -1011, "Connection closed without a response: h:443."),
        (
            "-", -1000,
            "URLSession does not support this host: h:443. Use a host name, or an IPv4 address of four numbers."
        ),
        ("Something new", -1, "Engine failure: Something new."),
    ]

    @Test(arguments: messages.indices)
    func `the message contains problem, address and remedy`(index: Int) throws {
        let (text, code, message) = Self.messages[index]
        #expect(try Self.failure(text, code: code).message == message)
    }

    @Test(arguments: [
        "Failed to connect to h port 443 after 0 ms: Couldn't connect to server",
        "getaddrinfo() thread failed to start",
        "error setting certificate verify locations:  CAfile: /etc/ssl/certs/ca-certificates.crt", "Something new",
    ])
    func `the lack of descriptors is named for every text of libcurl`(text: String) throws {
        let failure = try Self.failure(text, lacksDescriptors: true)
        #expect(failure.code == .unknown)
        #expect(
            failure.message
                == "Out of file descriptors: h:443. Close some, or raise the limit of the process (ulimit -n).")
    }

    @Test func `a failure of an open connection is not one of descriptors`() throws {
        for (text, code) in [
            ("Recv failure: Connection reset by peer", TransportError.Code.connectionLost),
            ("transfer closed with 5 bytes remaining to read", .truncated),
            ("Failed writing header", .malformedResponse),
        ] {
            #expect(try Self.failure(text, lacksDescriptors: true).code == code)
        }
    }

    @Test func `names an unreachable proxy`() throws {
        let text = "Failed to connect to 10.0.0.1 port 3128 after 0 ms: Couldn't connect to server"
        let environment = ["https_proxy": "http://10.0.0.1:3128"]
        let failure = try Self.failure(text, code: -1004, environment: environment)
        #expect(failure.code == .proxy)
        #expect(failure.message == "Connection refused: proxy 10.0.0.1:3128 for h:443. " + Self.proxy)
        // Without a proxy, the address is the server's in any spelling.
        #expect(try Self.failure(text, code: -1004).code == .connectionRefused)
        // The request bypassed the proxy.
        for (url, peer) in [
            ("http://H:81/", "h port 81"), ("http://[::1]:81/", "::1 port 81"), ("http://%68:81/", "h port 81"),
        ] {
            let text = "Failed to connect to \(peer) after 0 ms: Couldn't connect to server"
            #expect(
                try Self.failure(text, code: -1004, url: url, environment: environment).code == .connectionRefused)
        }
    }

    @Test func `does not show a proxy's password`() throws {
        let failure = try Self.failure("Unsupported proxy scheme for 'foo://user:s3cret@p:1'")
        #expect(failure.code == .proxy)
        #expect(!"\(failure.message) \(failure.underlying)".contains("s3cret"))
    }

    @Test(arguments: [NSPOSIXErrorDomain, NSCocoaErrorDomain])
    func `ignores codes of other domains`(domain: String) throws {
        for code in [-1200, -1005, 54, 61] {
            let error = NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: "-"])
            let failure = EngineFailure(
                error, engine: .libcurl, origin: Origin(try URL(httpString: "https://h/")), isBodyIncomplete: true,
                environment: [:])
            #expect(failure.code == .unknown && failure.message == "Engine failure: -.")
        }
    }
}

import CurlTransport
import Foundation
import HTTPMessages
import Transport

/// A server of nginx's with certificates that a script makes. `.ci/check-curl` starts it; without it the tests are
/// skipped.
enum Peer: Int, CaseIterable, Sendable {
    /// HTTP/2 with a valid certificate, also on ::1.
    case valid
    case wrongHost
    case expired
    case selfSigned
    /// Demands a certificate of the client.
    case mutual
    /// HTTP/1.1 and TLS 1.2 only.
    case old
    /// HTTP/1.1 without TLS, also on ::1.
    case plain
    /// HTTP/2 without TLS.
    case plainHTTP2

    private static let environment = ProcessInfo.processInfo.environment
    private static let firstPort = environment["PATCHBAY_TLS_PORT"].flatMap { Int($0) }
    static var isRunning: Bool { firstPort != nil && environment["PATCHBAY_TLS_FILES"] != nil }
    static let isOnIPv6 = environment["PATCHBAY_TLS_IPV6"] != nil

    /// The first port of `broken-http2`.
    static let brokenHTTP2Port = environment["PATCHBAY_BROKEN_HTTP2_PORT"].flatMap { Int($0) }

    /// A file of the script's.
    static func file(_ name: String) -> URL {
        URL(filePath: environment["PATCHBAY_TLS_FILES"] ?? "/nonexistent").appending(path: name)
    }

    /// The port of a proxy that demands the password `pass` of `user`.
    static func proxyPort(_ scheme: String) -> UInt16? {
        environment["PATCHBAY_PROXY_\(scheme)"].flatMap { UInt16($0) }
    }

    func origin(_ host: String = "127.0.0.1") -> String {
        "\(rawValue < Peer.plain.rawValue ? "https" : "http")://\(host):\((Self.firstPort ?? 0) + rawValue)"
    }

    /// A request without timeouts, since other work may slow the machine down.
    func request(
        _ method: HTTPMethod = .get, _ path: String = "/shown", host: String = "127.0.0.1", body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        try HTTPRequest(
            method, origin(host) + path, body: body,
            options: RequestOptions(timeouts: Timeouts(response: nil, idle: nil)))
    }
}

extension CurlTransport.NetworkOptions {
    /// Options that trust the script's authority and use no proxy.
    static func test(_ change: (inout Self) -> Void = { _ in }) -> Self {
        var options = Self()
        options.proxy = .none
        options.trustAnchors = .only(.file(Peer.file("ca.pem")))
        change(&options)
        return options
    }
}

extension HTTPResponse {
    /// The words of a `/shown` response: protocol, connection, host.
    var shown: [String] { String(decoding: body, as: UTF8.self).split(separator: " ").map(String.init) }
}

/// The error of a request that must fail.
func transportError(_ body: () async throws -> Void) async -> TransportError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TransportError
    }
}

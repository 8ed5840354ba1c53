import Foundation
import HTTPMessages

/// Classifies CFNetwork's errors, on Apple's platforms, by domain and code.
///
/// The texts are localized and quote host names, so they are not used. Sources of the codes:
/// https://developer.apple.com/documentation/foundation/urlerror-swift.struct/code and
/// https://developer.apple.com/documentation/cfnetwork/cfnetworkerrors
enum CFNetworkRules {
    typealias Meaning = EngineFailure.Meaning

    /// - Parameters:
    ///   - origin: the origin of the request.
    ///   - isBodyIncomplete: true between the response head and the end of its body.
    /// - Returns: nil when neither the error nor its underlying errors are known.
    static func meaning(of error: EngineError, origin: Origin, isBodyIncomplete: Bool) -> Meaning? {
        var meaning = ([error] + error.causes).lazy.compactMap(known).first
        if meaning?.code == .unreachable, origin.isInLocalNetwork {
            // The system has no code for that.
            meaning?.advice =
                "Check that this app may reach the local network, in the system's settings (Privacy & Security)."
        }
        // CFNetwork reports a body shorter than its Content-Length as a lost connection.
        return meaning?.endsConnection == true && isBodyIncomplete ? truncated : meaning
    }

    private static func known(_ error: EngineError) -> Meaning? {
        switch error.domain {
        case NSURLErrorDomain: urlError(error)
        // Negative codes are those of `NSURLErrorDomain`.
        case "kCFErrorDomainCFNetwork": error.code < 0 ? urlError(error) : byCFNetworkCode[error.code]
        case NSPOSIXErrorDomain: byPOSIXCode[error.code]
        case NSOSStatusErrorDomain: byTLSStatus[error.code]
        default: nil
        }
    }

    private static func urlError(_ error: EngineError) -> Meaning? {
        switch error.code {
        case -1004:
            // Covers refused connections, unreachable hosts and a lack of descriptors; stream domain 1 (POSIX) tells
            // which.
            let posix = error.streamDomain == 1 ? error.streamCode.flatMap { byPOSIXCode[$0] } : nil
            return posix.map { [.unreachable, .unknown].contains($0.code) } == true ? posix : byURLErrorCode[-1004]
        case -1200, -1202:
            // Most certificate failures have one of these two codes.
            if let meaning = error.streamCode.flatMap({ byTLSStatus[$0] }) { return meaning }
            var meaning = byURLErrorCode[error.code]
            meaning?.detail = error.streamCode.map { "Secure Transport status \($0)" }
            return meaning
        default: return byURLErrorCode[error.code]
        }
    }

    // MARK: Tables

    private static let truncated = Meaning(.truncated, "Connection closed before the end of the body")
    private static let connectionLost = Meaning(.connectionLost, "Connection lost", endsConnection: true)
    private static let withoutResponse = Meaning(
        .connectionLost, "Connection closed without a response", endsConnection: true)
    private static let hostNotFound = Meaning(.hostNotFound, "Host not found")
    private static let connectionRefused = Meaning(.connectionRefused, "Connection refused")
    private static let networkUnreachable = Meaning(.unreachable, "Network is unreachable")
    private static let timedOut = Meaning(.timedOut, "Timed out in the engine")
    private static let unparsable = Meaning(.malformedResponse, "Response cannot be parsed")
    private static let undecodable = Meaning(.undecodableContent, "Response body cannot be decoded")
    private static let redirect = Meaning(.malformedResponse, "Redirect cannot be followed")
    private static let proxy = Meaning(.proxy, "Proxy failed", advice: proxyAdvice)
    private static let proxyCredential = Meaning(.proxy, "Proxy did not accept the credentials", advice: proxyAdvice)
    private static let proxyConfiguration = Meaning(
        .proxy, "Proxy configuration file cannot be read", advice: proxyAdvice)
    // A cancellation of the caller ends the transfer before the task, so the engine's is never that one. It follows,
    // for example, when the certificate of a shared connection was refused for another request.
    private static let cancelled = Meaning(
        .connectionLost, "URLSession cancelled the request",
        advice: "Another request on the connection may have failed.")
    private static let expired = Meaning(.tls, "Certificate expired", .expiredCertificate)
    private static let notYetValid = Meaning(
        .tls, "Certificate not yet valid", .expiredCertificate, advice: "The clock of this device may be slow.")
    private static let untrusted = Meaning(
        .tls, "Certificate not trusted", .untrustedCertificate,
        advice:
            "To trust a private authority, set `NetworkOptions.trustAnchors`, or install its certificate on this device."
    )
    private static let authentication = Meaning(
        .unsupported, "URLSession stopped at an authentication challenge",
        advice: "Send the credentials in a header field.")

    private static let proxyAdvice =
        "The proxy is set in the network settings of this device, or by `NetworkOptions.proxy`."

    private static let byURLErrorCode: [Int: Meaning] = [
        -999: cancelled,
        -1000: Meaning(.unsupported, "URLSession does not support this URL"),
        -1001: timedOut,
        -1002: Meaning(.unsupported, "URLSession does not support this URL"),
        -1003: hostNotFound,
        -1004: connectionRefused,
        -1005: connectionLost,
        -1006: hostNotFound,
        -1007: redirect,
        -1008: Meaning(.malformedResponse, "Resource is unavailable"),
        -1009: Meaning(.unreachable, "No network connection"),
        -1010: redirect,
        -1011: unparsable,
        -1012: authentication,
        -1013: authentication,
        -1014: withoutResponse,
        -1015: undecodable,
        -1016: undecodable,
        -1017: unparsable,
        -1018: Meaning(.unreachable, "No network connection, since international roaming is off"),
        -1019: Meaning(.unreachable, "No network connection during a phone call"),
        -1020: Meaning(.unreachable, "Cellular network does not allow data"),
        -1021: Meaning(.connectionLost, "Connection lost, and the request body was not sent again"),
        -1022: Meaning(
            .unsupported, "App Transport Security does not allow http",
            advice: "Use https, or add an exception to Info.plist (NSAppTransportSecurity)."),
        // About a file to upload; downloaded files are written by this package.
        -1100: Meaning(.unreadableBody, "File to upload does not exist"),
        -1101: Meaning(.unreadableBody, "File to upload is a folder"),
        -1102: Meaning(.unreadableBody, "Permission denied reading the file to upload"),
        -1103: Meaning(.responseTooLarge, "Response body is larger than URLSession allows"),
        -1200: Meaning(.tls, "TLS handshake failed", .handshake),
        -1201: Meaning(.tls, "Certificate expired or not yet valid", .expiredCertificate),
        -1202: untrusted,
        -1203: untrusted,
        -1204: notYetValid,
        -1205: Meaning(.tls, "Server did not accept the client certificate", .handshake),
        -1206: Meaning(
            .tls, "Server requires a client certificate", .handshake, advice: "Set `NetworkOptions.clientCertificate`."),
    ]

    // The errno values of Darwin, which differ from those of Linux: <sys/errno.h>.
    private static let byPOSIXCode: [Int: Meaning] = [
        23: .lackOfDescriptors,
        24: .lackOfDescriptors,
        28: Meaning(.temporaryStorage, "Disk full"),
        32: Meaning(.connectionLost, "Connection lost while sending", endsConnection: true),
        40: Meaning(.unreachable, "Packet too large for the network"),
        49: Meaning(.unreachable, "Local address is not available"),
        50: networkUnreachable,
        51: networkUnreachable,
        53: connectionLost,
        54: Meaning(.connectionLost, "Connection reset", endsConnection: true),
        57: connectionLost,
        60: timedOut,
        61: connectionRefused,
        64: Meaning(.unreachable, "Host is down"),
        65: Meaning(.unreachable, "No route to host"),
        89: cancelled,
        // The usual face of a violation of HTTP/2.
        100: Meaning(.malformedResponse, "Protocol error"),
    ]

    private static let byCFNetworkCode: [Int: Meaning] = [
        1: hostNotFound,
        2: hostNotFound,
        100: proxy, 101: proxy, 110: proxy, 111: proxy, 112: proxy, 113: proxy,
        120: proxy, 121: proxy, 122: proxy, 123: proxy, 124: proxy,
        302: connectionLost,
        303: unparsable,
        306: proxy,
        307: proxyCredential,
        308: proxyConfiguration,
        309: proxyConfiguration,
        310: proxy,
        311: Meaning(.proxy, "Proxy refused the tunnel", advice: proxyAdvice),
    ]

    // <Security/SecureTransport.h>
    private static let byTLSStatus: [Int: Meaning] = [
        -9807: untrusted,
        -9812: untrusted,
        -9813: untrusted,
        -9814: expired,
        -9815: notYetValid,
        -9843: Meaning(.tls, "Certificate is for another host", .hostMismatch),
    ]
}

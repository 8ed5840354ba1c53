import StoreCore
import Transport

/// libcurl's error numbers, for errors with the source `cURL`.
enum CurlCode {
    static let receive = 56
    /// Anything without a number of its own.
    static let other = 55

    static func number(of error: TransportError) -> Int {
        switch error.code {
        case .hostNotFound: 6
        case .connectionRefused, .unreachable, .proxy: 7
        case .timedOut: 28
        case .tls: error.tlsFailure == nil || error.tlsFailure == .handshake ? 35 : 60
        case .connectionLost: error.head == nil ? 52 : receive
        case .truncated, .malformedResponse, .undecodableContent, .responseTooLarge: receive
        default: other
        }
    }
}

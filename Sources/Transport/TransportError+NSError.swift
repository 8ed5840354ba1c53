public import Foundation
import PatchbayErrors

extension TransportError {
    /// The code that `URLSession` on Apple's platforms uses for this failure, or nil.
    public var urlErrorCode: URLError.Code? {
        switch code {
        case .timedOut: .timedOut
        case .hostNotFound: .cannotFindHost
        case .connectionRefused, .proxy: .cannotConnectToHost
        case .connectionLost, .truncated: .networkConnectionLost
        case .unreachable: .notConnectedToInternet
        case .tooManyRedirects: .httpTooManyRedirects
        case .redirectRefused: .redirectToNonExistentLocation
        case .malformedResponse: .cannotParseResponse
        case .undecodableContent: .cannotDecodeContentData
        case .responseTooLarge: .dataLengthExceedsMaximum
        case .temporaryStorage: .cannotWriteToFile
        case .cancelled: .cancelled
        case .unknown: .unknown
        case .tls:
            switch tlsFailure {
            case .untrustedCertificate, .hostMismatch: .serverCertificateUntrusted
            case .expiredCertificate: .serverCertificateHasBadDate
            case .handshake, nil: .secureConnectionFailed
            }
        default: nil
        }
    }

    /// The description, the failing URL and the underlying error.
    ///
    /// The underlying error is one of `NSURLErrorDomain` with ``urlErrorCode``, which in turn wraps the engine's error.
    /// Without such a code, it is the engine's error itself.
    public var errorUserInfo: [String: Any] {
        let cause = underlying?.redactedNSError
        let urlError = urlErrorCode.map {
            NSError(domain: NSURLErrorDomain, code: $0.rawValue, userInfo: userInfo(underlying: cause))
        }
        return userInfo(underlying: urlError ?? cause)
    }
}

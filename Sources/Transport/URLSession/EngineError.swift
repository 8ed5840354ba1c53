import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The parts of a URLSession error that classify it, and a redacted copy.
///
/// Apple's user info contains the URL with its query, the task and the server's certificates. Only the text and the
/// stream status are kept.
struct EngineError {
    let domain: String
    let code: Int
    /// The localized text, without secrets in its URLs; in the user's language on Apple's platforms.
    let text: String
    /// The stream's status code: of Secure Transport, POSIX or CFNetwork.
    let streamCode: Int?
    /// The domain of ``streamCode``; 1 is POSIX.
    let streamDomain: Int?
    /// The underlying errors, outermost first.
    let causes: [EngineError]
    /// The same error with only its text and ``streamCode``.
    let redacted: any Error

    init(_ original: any Error) { self.init(original, depth: 4) }

    /// - Parameter depth: the maximum nesting of underlying errors.
    private init(_ original: any Error, depth: Int) {
        let error = original as NSError
        let text = error.localizedDescription.withoutURLSecrets
        let cause =
            depth > 0
            ? (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { EngineError($0, depth: depth - 1) } : nil
        let causes = cause.map { [$0] + $0.causes } ?? []
        streamCode = Self.integer(error.userInfo[Self.streamCodeKey]) ?? cause?.streamCode
        streamDomain = Self.integer(error.userInfo[Self.streamDomainKey]) ?? cause?.streamDomain
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: text]
        userInfo[Self.streamCodeKey] = streamCode
        redacted =
            (original as? URLError).map { URLError($0.code, userInfo: userInfo) }
            ?? NSError(domain: error.domain, code: error.code, userInfo: userInfo)
        (domain, code, self.text, self.causes) = (error.domain, error.code, text, causes)
    }

    /// The code, if the domain is `NSURLErrorDomain`.
    var urlErrorCode: Int? { domain == NSURLErrorDomain ? code : nil }

    // Undocumented, but present in every connection error that CFNetwork logs.
    private static let streamCodeKey = "_kCFStreamErrorCodeKey"
    private static let streamDomainKey = "_kCFStreamErrorDomainKey"

    private static func integer(_ value: Any?) -> Int? { value as? Int ?? (value as? NSNumber)?.intValue }
}

extension String {
    /// The text without the user, password, query and fragment of its URLs; libcurl quotes proxy URLs.
    fileprivate var withoutURLSecrets: String {
        replacing(#/:\/\/[^\s\/?#']*@/#) { _ in "://" }
            .replacing(#/(:\/\/[^\s?#'"”»]*)[?#][^\s'"”»]*/#) { $0.1 }
    }
}

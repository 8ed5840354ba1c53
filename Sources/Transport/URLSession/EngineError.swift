import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The parts of URLSession's error that tell its meaning, and the error without the rest.
///
/// Apple puts the URL with its query, the task and the server's certificates into the user info, so none of it is kept
/// but the text and the status of the connection.
struct EngineError {
    let domain: String
    let code: Int
    /// The localized text, without secrets in its URLs. On Apple's platforms it is in the user's language.
    let text: String
    /// The status of the connection: of Secure Transport, POSIX or CFNetwork.
    let streamCode: Int?
    /// The kind of that status.
    let streamDomain: Int?
    /// The underlying errors, outermost first.
    let causes: [EngineError]
    /// The same error with its text and ``streamCode`` only.
    let redacted: any Error

    init(_ original: any Error) { self.init(original, depth: 4) }

    /// - Parameter depth: how many underlying errors are looked at, one inside the other.
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

    /// The code, when it is one of `NSURLErrorDomain`.
    var urlErrorCode: Int? { domain == NSURLErrorDomain ? code : nil }

    // Not documented, but in every error of a connection that CFNetwork logs.
    private static let streamCodeKey = "_kCFStreamErrorCodeKey"
    private static let streamDomainKey = "_kCFStreamErrorDomainKey"

    private static func integer(_ value: Any?) -> Int? { value as? Int ?? (value as? NSNumber)?.intValue }
}

extension String {
    /// The text without the user, password, query and fragment of its URLs. libcurl quotes the URL of a proxy.
    fileprivate var withoutURLSecrets: String {
        replacing(#/:\/\/[^\s\/?#']*@/#) { _ in "://" }
            .replacing(#/(:\/\/[^\s?#'"”»]*)[?#][^\s'"”»]*/#) { $0.1 }
    }
}

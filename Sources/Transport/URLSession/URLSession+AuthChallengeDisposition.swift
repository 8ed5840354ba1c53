import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSession.AuthChallengeDisposition {
    /// The disposition for a challenge on Apple's platforms, so that the session uses no credentials of its own.
    ///
    /// Server trust and proxy challenges get the system's default handling. All others are rejected, so the 401
    /// response arrives: default handling may use the system's tickets and passwords (Negotiate, NTLM) and, on macOS,
    /// keychain certificates. Client certificates are not supported.
    /// (https://developer.apple.com/documentation/foundation/handling-an-authentication-challenge)
    /// - Parameter method: the protection space's `authenticationMethod`.
    init(forMethod method: String, isProxy: Bool) {
        // The value of NSURLAuthenticationMethodServerTrust, a constant that Linux lacks.
        let isDefault = isProxy || method == "NSURLAuthenticationMethodServerTrust"
        self = isDefault ? .performDefaultHandling : .rejectProtectionSpace
    }
}

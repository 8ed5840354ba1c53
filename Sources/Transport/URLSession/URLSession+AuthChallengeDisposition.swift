import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSession.AuthChallengeDisposition {
    /// What a session on Apple's platforms does about a challenge, so that it uses no credentials of its own.
    ///
    /// The system decides about server certificates and proxies. All else is rejected, so that the response with status
    /// 401 arrives: default handling may use the system's tickets and passwords (Negotiate, NTLM) and, on macOS,
    /// certificates of the keychain. No setting asks for client certificates.
    /// (https://developer.apple.com/documentation/foundation/handling-an-authentication-challenge)
    /// - Parameter method: the protection space's `authenticationMethod`.
    init(forMethod method: String, isProxy: Bool) {
        // The value of NSURLAuthenticationMethodServerTrust, which cannot be named on Linux.
        let isDefault = isProxy || method == "NSURLAuthenticationMethodServerTrust"
        self = isDefault ? .performDefaultHandling : .rejectProtectionSpace
    }
}

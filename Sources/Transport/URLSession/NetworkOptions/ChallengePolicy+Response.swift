#if canImport(Darwin)
    import Foundation
    import Security

    extension ChallengePolicy {
        /// Responds to a challenge of a session.
        /// - Parameter refused: called before the connection is refused for the server's certificates.
        func respond(
            to challenge: URLAuthenticationChallenge,
            _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
            refused: @escaping @Sendable (ServerTrustPolicy.Verdict) -> Void
        ) {
            let space = challenge.protectionSpace
            switch action(forMethod: space.authenticationMethod, isProxy: space.isProxy()) {
            case .performDefaultHandling: completionHandler(.performDefaultHandling, nil)
            case .rejectProtectionSpace: completionHandler(.rejectProtectionSpace, nil)
            case .sendCertificate: completionHandler(.useCredential, clientCredential)
            case .acceptTrust:
                completionHandler(.useCredential, space.serverTrust.map { URLCredential(trust: $0) })
            case .evaluateTrust(let policy):
                // Such a challenge has the certificates; without them nothing is accepted.
                guard let trust = space.serverTrust else {
                    return completionHandler(.cancelAuthenticationChallenge, nil)
                }
                policy.evaluate(trust) { trust, verdict in
                    if verdict == .accepted { return completionHandler(.useCredential, URLCredential(trust: trust)) }
                    refused(verdict)
                    completionHandler(.cancelAuthenticationChallenge, nil)
                }
            }
        }
    }
#endif

package import HTTPMessages

/// Proves with each request that the client has the key of its tokens, such as by DPoP (RFC 9449).
package protocol PossessionProof: Sendable {
    /// The `token_type` of bound tokens, also the scheme of their `Authorization`.
    var tokenType: String { get }

    /// The `error` of a response that asks for a proof with the nonce in it.
    var nonceError: String { get }

    /// The `error` of a response that refuses the proof, such as for its time.
    var proofError: String { get }

    /// Adds a proof for this request, with its token; nil for a request to the token endpoint.
    func prove(_ request: inout HTTPRequest, with token: OAuthToken?) throws

    /// Keeps the nonce of a response for the next requests to its origin.
    func learn(from response: HTTPResponseHead)
}

extension PossessionProof {
    /// True for a challenge of a resource that asks for another proof, such as one with the nonce in it: the token is
    /// good.
    package func isDemand(_ response: HTTPResponseHead) -> Bool {
        response.status == .unauthorized
            && response.challenges.contains {
                $0.scheme == tokenType.lowercased() && [nonceError, proofError].contains($0["error"])
            }
    }
}

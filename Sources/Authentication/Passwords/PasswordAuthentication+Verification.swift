public import Foundation
public import HTTPMessages
import Synchronization

extension PasswordAuthentication {
    /// Takes the next nonce of a response, and verifies the response if it has a proof (`rspauth`).
    ///
    /// Call it for each response that is no challenge.
    /// - Parameter request: the request as it was sent.
    /// - Returns: what is left to verify with the body, for `qop=auth-int`; otherwise nil.
    /// - Throws: ``AuthenticationError`` (`serverNotAuthentic`, `hashing`).
    public func verification(
        of head: HTTPResponseHead, to request: HTTPRequest
    ) throws(AuthenticationError) -> ResponseVerification? {
        guard request.options.hasLayerOptions else { return nil }
        let sent = request.options.sentCredentials
        var checks: [ResponseVerification.Check] = []
        for sent in [sent.server, sent.proxy] {
            if let sent, let check = try check(head, sent) { checks.append(check) }
        }
        return checks.isEmpty ? nil : ResponseVerification(checks, head)
    }

    /// Takes the next nonce of a response, and verifies the response with its body.
    /// - Parameter request: the request as it was sent.
    /// - Throws: ``AuthenticationError`` (`serverNotAuthentic`, `hashing`).
    public func verify(
        _ head: HTTPResponseHead, body: Data, of request: HTTPRequest
    ) throws(AuthenticationError) {
        guard let verification = try verification(of: head, to: request) else { return }
        verification.update(body)
        try verification.finish()
    }

    /// Returns what is left to check with the body.
    private func check(
        _ head: HTTPResponseHead, _ sent: SentCredential
    ) throws(AuthenticationError) -> ResponseVerification.Check? {
        // A redirect may have led to another server, which knows nothing of this exchange.
        guard let exchange = sent.digest, sent.recipient.isProxy || sent.recipient.origin == Origin(head.url) else {
            return nil
        }
        if head.status.code < 400, !exchange.session.isAccepted { exchange.session.accept() }
        guard let info = AuthenticationInfo(head, isProxy: sent.recipient.isProxy) else { return nil }
        let isAuthentic = try info.isAuthentic(exchange)
        guard isAuthentic != false else { throw .notAuthentic(head) }
        if let nonce = info.nextNonce {
            let isSession = exchange.session.challenge.algorithm.isSession
            let next = exchange.session.next(
                DigestNonce(nonce, clientValue: isSession ? exchange.session.nonce.clientValue : makeNonce()))
            let space = ProtectionSpace(sent.recipient, realm: exchange.session.challenge.realm)
            spaces.withLock { $0.advance(exchange.session, to: next, in: space) }
        }
        return isAuthentic == nil ? ResponseVerification.Check(exchange: exchange, info: info) : nil
    }
}

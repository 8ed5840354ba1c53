import Foundation
import HTTPMessages
import Synchronization

extension PasswordAuthentication {
    func learn(_ challenge: PasswordChallenge) { spaces.withLock { $0.learn(challenge) } }

    func space(of request: HTTPRequest, _ recipient: ProtectionSpace.Recipient) -> ProtectionSpace? {
        let path = recipient.isProxy ? "" : request.digestURI(forProxy: false)
        return spaces.withLock { $0.entry(for: recipient, path: path)?.space }
    }

    /// Authorizes a request in a known space.
    /// - Returns: false if the space is not known; the request is unchanged then.
    @discardableResult
    func authorizeIfKnown(
        _ request: inout HTTPRequest, with credential: PasswordCredential, in space: ProtectionSpace
    ) throws(AuthenticationError) -> Bool {
        guard let entry = spaces.withLock({ $0.entry(for: space) }) else { return false }
        try set(credential, of: entry, in: &request)
        return true
    }

    /// Sets the field of a known space.
    func set(
        _ credential: PasswordCredential, of entry: KnownSpaces.Entry, in request: inout HTTPRequest
    ) throws(AuthenticationError) {
        let sent = SentCredential(
            recipient: entry.space.recipient, realm: entry.space.realm, credential: credential, staleCount: 0)
        switch entry.content {
        case .basic: try setBasic(&request, sent)
        case .digest(let content):
            if let session = entry.session, session.credential == credential {
                try setDigest(&request, sent, session)
            } else {
                try setDigest(&request, sent, try openSession(entry.space, content, credential))
            }
        }
    }

    /// Authorizes a refused request for its proxy again: the proxy has passed it on to the server, so its count of the
    /// nonce is used.
    func renewProxyCredential(_ request: inout HTTPRequest) throws(AuthenticationError) {
        guard let sent = request.options.sentCredentials.proxy, sent.digest != nil, let realm = sent.realm else {
            return
        }
        try authorizeIfKnown(&request, with: sent.credential, in: ProtectionSpace(sent.recipient, realm: realm))
    }

    /// The known spaces of a request: that of its server, and that of its proxy.
    func knownSpaces(of request: HTTPRequest, proxy: URL?) -> [KnownSpaces.Entry] {
        let path = request.digestURI(forProxy: false)
        return spaces.withLock { spaces in
            let server = spaces.entry(for: .server(request.origin), path: path)
            let proxy = request.origin.isSecure ? nil : spaces.entry(for: .proxy(proxy), path: "")
            return [server, proxy].compactMap(\.self)
        }
    }

    /// Continues the session of a challenge, or starts one.
    func openSession(
        _ space: ProtectionSpace, _ challenge: DigestChallenge, _ credential: PasswordCredential
    ) throws(AuthenticationError) -> DigestSession {
        // With another credential, the nonce and its count go on.
        let current = spaces.withLock { $0.entry(for: space)?.session }.flatMap {
            $0.nonce.value == challenge.nonce ? $0 : nil
        }
        if let current, current.credential == credential { return current }
        let nonce = current?.nonce ?? DigestNonce(challenge.nonce, clientValue: makeNonce())
        let session = DigestSession(credential, challenge, try DigestKey(credential, challenge, nonce), nonce)
        return spaces.withLock { $0.open(session, in: space) }
    }

    func setBasic(_ request: inout HTTPRequest, _ sent: SentCredential) throws(AuthenticationError) {
        let value = try BasicAuthorizer.value(user: sent.credential.user, password: sent.credential.password)
        try set(&request, sent, value)
    }

    func setDigest(
        _ request: inout HTTPRequest, _ sent: SentCredential, _ session: DigestSession
    ) throws(AuthenticationError) {
        let uri = request.digestURI(forProxy: sent.recipient.isProxy)
        let hash =
            session.challenge.protection == .authInt
            ? try request.bodyHash(session.challenge.algorithm.hash) : nil
        let count = session.nonce.next()
        let value = try session.field(method: request.method.name, uri: uri, bodyHash: hash, count: count)
        var sent = sent
        sent.digest = DigestExchange(session: session, count: count, uri: uri)
        try set(&request, sent, value)
        if hash != nil, !request.fields.contains(.acceptEncoding) {
            // The hash of a response is that of its body as it is sent; a transport that decodes it keeps other bytes.
            try? request.fields.set(.acceptEncoding, to: "identity")
        }
    }

    private func set(
        _ request: inout HTTPRequest, _ sent: SentCredential, _ value: String
    ) throws(AuthenticationError) {
        do {
            try request.fields.set(sent.recipient.isProxy ? .proxyAuthorization : .authorization, to: value)
        } catch {
            throw AuthenticationError(
                .invalidCredential,
                "Invalid credential or challenge: contains a line break or another control character.",
                request: request)
        }
        request.options.sentCredentials[isProxy: sent.recipient.isProxy] = sent
    }
}

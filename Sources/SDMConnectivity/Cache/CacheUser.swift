import HTTPMessages
import Synchronization
import Transport

/// The user of an attempt and of its cached response, as far as the request tells.
///
/// The first of these that the request has: the user that the caller of a transport has set; that of the credentials
/// that it carries; its cookies, one of which may be a login; the user that the app has set, since the server may still
/// ask for the password; other secret fields, and the client's certificate.
struct CacheUser: Sendable {
    /// The user, or a value that stands for the cookies or secrets; nil if the server cannot tell users apart.
    let text: String?
    /// True for a user by credentials, which a response does not change.
    private let isNamed: Bool

    init(_ request: SDMHttpRequest, _ message: HTTPMessages.HTTPRequest) {
        let set = message.options.cachePartition.map { "#" + Fingerprint.text(of: $0.text) }
        let name = set ?? request.userName(of: message)
        isNamed = name != nil
        text = name ?? Self.secrets(of: message, request).map { "#" + Fingerprint.text(of: $0) }
    }

    /// What tells users apart without a name: cookies, other secret fields and the client's certificate; nil without.
    static func secrets(of message: HTTPMessages.HTTPRequest, _ request: SDMHttpRequest) -> [UInt8]? {
        let ofOthers: Set<HTTPFieldName> = [.authorization, .proxyAuthorization]
        var secrets: [UInt8] = []
        for field in message.fields where !ofOthers.contains(field.name) && RedirectRules.isSecret(field.name.rawName) {
            secrets += Array("\(field.name.canonicalName): \(field.value)\n".utf8)
        }
        let (certificate, isHome) = request.state.withLock { ($0.settings.clientCertificateIdentity, $0.isHome) }
        if isHome, let certificate { secrets += Array(certificate.pkcs12) }
        return secrets.isEmpty ? nil : secrets
    }

    /// True for a response that sets another cookie than the request had: the next request may be that of another user.
    func isReplaced(by head: HTTPResponseHead, to message: HTTPMessages.HTTPRequest) -> Bool {
        !isNamed && head.setsOtherCookie(than: message)
    }
}

extension HTTPMessages.HTTPRequest {
    /// Names the user to a cache in the session's transport, which reads `Authorization` by itself.
    mutating func nameUser(of request: SDMHttpRequest) {
        guard options.cachePartition == nil, !fields.contains(.authorization),
            let user = CacheUser(request, self).text
        else { return }
        options.cachePartition = CachePartition(user)
    }

    /// The cookies: `name=value`.
    var cookiePairs: [String] {
        fields.values(of: .cookie).flatMap { $0.split(separator: ";") }.map { String($0).trimmingHTTPWhitespace }
            .filter { !$0.isEmpty }
    }
}

extension HTTPResponseHead {
    /// True if the response sets another cookie than its request had, or deletes one that it had.
    /// - Parameter isRelevant: false for the names of cookies that do not count.
    func setsOtherCookie(
        than request: HTTPMessages.HTTPRequest, where isRelevant: (Substring) -> Bool = { _ in true }
    ) -> Bool {
        let (sent, jar) = (request.cookiePairs, CookieJar())
        jar.receive(self)
        let kept = Set(jar.cookies.map(\.name))
        return fields.values(of: .setCookie).contains { text in
            let pair = String(text.prefix { $0 != ";" }).trimmingHTTPWhitespace
            let name = pair.prefix { $0 != "=" }
            guard isRelevant(name), !sent.contains(pair) else { return false }
            return kept.contains(String(name)) || sent.contains { $0.hasPrefix("\(name)=") }
        }
    }
}

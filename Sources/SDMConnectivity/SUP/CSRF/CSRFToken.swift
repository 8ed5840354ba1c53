import Foundation
import HTTPMessages
import PatchbayErrors
import Transport

/// A token against cross-site request forgery, with the cookies that the server set together with it.
///
/// The server accepts one only with the other, so they are kept and sent as a pair.
struct CSRFToken: Sendable {
    /// The value of ``field``.
    let value: String
    /// False for that of another session than its request had, such as of a login: it is sent once.
    var isReusable = true
    private let cookies: CookieJar

    static let field = "X-CSRF-Token"
    /// The value that asks for a token.
    static let fetch = "Fetch"

    /// The token of a response; nil without one, and for `Required`.
    init?(_ head: HTTPResponseHead) {
        guard let value = head.fields[Self.field], !value.isEmpty, !Self.isRequired(head) else { return nil }
        self.value = value
        cookies = CookieJar()
        cookies.receive(head)
    }

    /// True for a response that demands a valid token.
    static func isRequired(_ head: HTTPResponseHead) -> Bool {
        head.fields[field].map { $0.lowercased() == "required" } ?? false
    }

    /// True for a cookie of tokens only, such as `sap-XSRF_GWD_100`, which tells no users apart.
    static func isOwnCookie(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return name.contains("xsrf") || name.contains("csrf")
    }

    /// Adds the token and its cookies to a request. They replace cookies of the same names.
    func apply(to request: inout HTTPMessages.HTTPRequest) throws(HTTPMessageError) {
        try request.fields.set(Self.field, to: value)
        let own = cookies.cookies(for: request.url)
        guard !own.isEmpty else { return }
        let names = Set(own.map(\.name))
        let others = request.cookiePairs.filter { pair in !names.contains(String(pair.prefix { $0 != "=" })) }
        let pairs = others + own.map { "\($0.name)=\($0.value)" }
        try request.fields.set(.cookie, to: pairs.joined(separator: "; "))
    }
}

extension CSRFToken: RedactedStringConvertible {
    /// No part of the token.
    var description: String { "CSRF token \(Redaction.placeholder)" }
}

/// What a token is valid for: a user's session with a service.
struct CSRFScope: Hashable, Sendable {
    let origin: String
    /// The URL at which the token is fetched.
    let service: String
    let user: String
    /// The SAP client, which has sessions of its own.
    let client: String

    /// - Parameters:
    ///   - service: the URL at which the token is fetched.
    ///   - user: by name, or a digest of the cookies and other secrets; nil if the request has no user.
    init(_ request: HTTPMessages.HTTPRequest, service: URL, user: String?) {
        // The token is only sent where it came from, also if the app has named a service of another origin.
        origin = Origin(request.url).text
        self.service = service.absoluteString
        self.user = user ?? ""
        client = request.fields[SAPField.client] ?? ""
    }
}

import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The URLs of a request: those to which headers and credentials belong, and those of its redirects.
struct RequestRoute: Sendable {
    /// The parts of a request that a redirect changes, as the app has set them.
    struct Original: Sendable {
        let url: URL?
        let requestMethod: String
        let requestCookies: [HTTPCookie]
        let headers: RequestHeaders
    }

    /// The URL to which the app's headers and credentials belong: the one that the app has set.
    private(set) var home: URL?
    /// The URL of the last attempt, to notice that the app has set another one.
    private(set) var currentURL: URL?
    /// The URL at which a delegate has supplied the credentials, after a redirect; nil for ``home``.
    private var credentialURL: URL?
    /// What redirects have changed; nil before the first one, and after the app has set another URL.
    private(set) var original: Original?
    /// The origins of redirects from one origin to another, also if one led back to that of ``home``.
    private(set) var visitedOrigins: Set<Origin> = []
    /// True after a redirect that drops the body.
    var dropsBody = false
    /// The user and the password that the attempt carries; nil without.
    var sent: SentPassword?

    /// Begins at the URL that the app has set.
    init(_ url: URL? = nil) {
        home = url
        currentURL = url
    }

    /// True when an attempt for a URL goes to the origin for which the app has set headers.
    func isHome(_ url: URL?) -> Bool { Self.areSame(url, home) }

    /// True when a URL has the origin for which the app or its delegate has set credentials.
    func isCredentialHome(_ url: URL?) -> Bool { Self.areSame(url, credentialURL ?? home) }

    /// False after a delegate has supplied credentials for another origin than the app's.
    var hasAppCredentials: Bool { Self.areSame(credentialURL, home) }

    /// Takes note of a URL that the app has set since the last attempt: its headers and credentials belong to it.
    mutating func notice(_ url: URL?) {
        guard url != currentURL else { return }
        home = url
        currentURL = url
        credentialURL = nil
        original = nil
        visitedOrigins = []
    }

    /// Notes that a delegate has supplied credentials.
    ///
    /// They are for the origin of the current attempt, also after a redirect to the first one.
    mutating func supplyCredentials() { credentialURL = currentURL }

    /// Continues at the target of a redirect.
    mutating func redirect(to target: URL, from request: Original) {
        original = original ?? request
        if let currentURL, !Self.areSame(currentURL, target) {
            visitedOrigins.formUnion([currentURL, target].map { Origin($0.withoutUserInfo) })
        }
        currentURL = target
    }

    /// True for URLs of the same origin, and if one of them is missing.
    private static func areSame(_ first: URL?, _ second: URL?) -> Bool {
        guard let first, let second else { return true }
        return Origin(first) == Origin(second)
    }
}

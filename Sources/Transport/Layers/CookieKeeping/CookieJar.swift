public import Foundation
public import HTTPMessages
public import PatchbayErrors
import Synchronization

/// A thread-safe, in-memory cookie store of one client (RFC 6265bis).
///
/// Two clients share cookies only if they share a jar.
///
/// A server cannot set cookies for a public suffix, such as `com` or `co.uk`; see ``PublicSuffixes`` for what is known
/// of them on each platform. Use one jar per server if the servers do not trust each other. `SameSite` and
/// `Partitioned` have an effect on requests with a ``CookieSite``.
public final class CookieJar: Sendable {
    /// Size limits; excess cookies are evicted by the rules of RFC 6265bis, section 5.7.
    public struct Limits: Hashable, Sendable {
        /// Maximum size of one cookie's name and value in bytes, default 4096; a larger cookie is ignored.
        public var bytesPerCookie: Int
        /// Maximum number of cookies per domain, in each partition; default 50.
        public var perDomain: Int
        /// Maximum number of cookies; default 3000.
        public var total: Int
        /// Maximum lifetime of a cookie; default 400 days.
        public var maximumAge: Duration

        /// Creates limits.
        public init(
            bytesPerCookie: Int = 4096, perDomain: Int = 50, total: Int = 3000,
            maximumAge: Duration = .seconds(400 * 86_400)
        ) {
            self.bytesPerCookie = bytesPerCookie
            self.perDomain = perDomain
            self.total = total
            self.maximumAge = maximumAge
        }
    }

    /// An encodable copy of a jar's cookies.
    ///
    /// The encoded form contains the cookies' values: store it as securely as passwords.
    public struct Snapshot: Hashable, Sendable, Codable {
        let entries: [CookieStore.Entry]
        /// The cookies, oldest first.
        public var cookies: [Cookie] { entries.map(\.cookie) }
    }

    /// A head has room for thousands, which would be stored while all other requests wait.
    private static let maximumPerResponse = 100
    private let limits: Limits
    private let suffixes: PublicSuffixes
    private let now: @Sendable () -> Date
    private let store: Mutex<CookieStore>

    /// Creates an empty jar.
    /// - Parameters:
    ///   - suffixes: names that no cookie may be set for; default the list of the system.
    ///   - now: returns the current time, for expiration.
    public init(
        limits: Limits = Limits(), suffixes: PublicSuffixes = .system, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.limits = limits
        self.suffixes = suffixes
        self.now = now
        store = Mutex(CookieStore(limits: limits))
    }

    private init(copying other: CookieJar) {
        (limits, suffixes, now) = (other.limits, other.suffixes, other.now)
        store = Mutex(other.store.withLock(\.self))
    }

    /// A jar of its own with the same rules and cookies.
    package func copy() -> CookieJar { CookieJar(copying: self) }

    /// All unexpired cookies, oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return store.withLock { $0.entries(at: now).map(\.cookie) }
    }

    /// The cookies for a GET request to a URL, in sending order.
    /// - Parameter site: the page that the request is sent for; nil for none.
    public func cookies(for url: URL, site: CookieSite? = nil) -> [Cookie] {
        let now = now()
        let context = CookieContext(site, method: .get, url: url, suffixes: suffixes)
        return store.withLock { $0.cookies(for: url, in: context, now: now) }
    }

    /// Parses the cookies that a response sets, without storing them.
    ///
    /// Expired cookies are included; cookies that the server may not set are not. Each `Set-Cookie` field is one
    /// cookie, even if it contains commas (RFC 6265bis, section 5.6).
    /// - Parameter site: the page that the request was sent for; nil for none.
    public func cookies(in head: HTTPResponseHead, site: CookieSite? = nil) -> [Cookie] {
        let now = now()
        let context = CookieContext(site, method: .get, url: head.url, suffixes: suffixes)
        return head.fields.values(of: .setCookie)
            .compactMap { SetCookie($0[...], now: now, limits: limits)?.cookie(from: head.url, suffixes: suffixes) }
            .compactMap(context.stored)
    }

    /// Stores the cookies that a response and its redirects set, the first 100 of each.
    /// - Parameter site: the page that the request was sent for; nil for none.
    public func receive(_ head: HTTPResponseHead, site: CookieSite? = nil) { receive(head, site: site) { true } }

    /// Stores the cookies that a response and its redirects set, unless their user has signed out meanwhile.
    /// - Parameters:
    ///   - since: the last sign-out when the request began; no cookie is stored if the jar was emptied since. Default:
    ///     any time.
    ///   - condition: called with the jar's lock held, so that a sign-out that empties the jar comes before it or after
    ///     the change. It must not use the jar.
    package func receive(
        _ head: HTTPResponseHead, site: CookieSite? = nil, since: Int = .max, if condition: () -> Bool
    ) {
        receive(head, site) { $0.emptied <= since && condition() }
    }

    /// Stores the cookies that a response and its redirects set, unless the jar was emptied since its request.
    /// - Parameter since: the second part of ``field(for:)`` for that request.
    func receive(_ head: HTTPResponseHead, site: CookieSite?, since: Int) {
        receive(head, site) { $0.emptied <= since }
    }

    private func receive(_ head: HTTPResponseHead, _ site: CookieSite?, if condition: (CookieStore) -> Bool) {
        for head in head.redirects + [head] where head.fields.contains(.setCookie) {
            let cookies = cookies(in: head, site: site)
            let now = now()
            store.withLock { store in
                guard condition(store) else { return }
                for cookie in cookies.prefix(Self.maximumPerResponse) {
                    store.receive(cookie, from: head.url, now: now)
                }
            }
        }
    }

    /// Stores a cookie, replacing one with the same name, domain and path; an expired one only removes it.
    ///
    /// Unlike a server, the app may set a cookie for a public suffix. ``restore(_:)`` leaves that out.
    public func set(_ cookie: Cookie) {
        let now = now()
        store.withLock { $0.insert(cookie, now: now) }
    }

    /// Removes one cookie.
    public func remove(_ cookie: Cookie) { store.withLock { $0.removeAll(where: cookie.isReplaced) } }

    /// Removes all cookies. ``CookieKeeping`` stores none of a response to a request from before.
    public func removeAll() { store.withLock { $0.empty { _ in true } } }

    /// Removes the cookies without an expiration date. ``CookieKeeping`` stores no cookie, of any kind, of a response
    /// to a request from before.
    public func removeSessionCookies() { store.withLock { $0.empty { $0.expires == nil } } }

    /// A copy of the unexpired cookies.
    /// - Parameter includingSessionCookies: true to include cookies without an expiration date.
    public func snapshot(includingSessionCookies: Bool = false) -> Snapshot {
        let now = now()
        let entries = store.withLock { $0.entries(at: now) }
        return Snapshot(entries: entries.filter { includingSessionCookies || $0.cookie.expires != nil })
    }

    /// Adds the unexpired cookies of a snapshot, replacing existing ones.
    ///
    /// Cookies for a public suffix are left out: the jar of the snapshot may have known fewer suffixes.
    public func restore(_ snapshot: Snapshot) {
        let now = now()
        let entries = snapshot.entries.filter { suffixes.permits($0.cookie) }
        store.withLock { $0.insert(entries, now: now) }
    }

    /// The unexpired cookies as a cookie file of Netscape, as curl and other tools read it.
    ///
    /// The text contains the cookies' values: store it as securely as passwords. The format has no `SameSite` and no
    /// `Partitioned`. Cookies in the partition of another site are left out, as are those with a tab.
    /// - Parameter includingSessionCookies: true to include cookies without an expiration date.
    public func netscapeText(includingSessionCookies: Bool = false) -> String {
        CookieFile.text(
            of: cookies.filter { (includingSessionCookies || $0.expires != nil) && $0.partition == nil })
    }

    /// Adds the unexpired cookies of a cookie file of Netscape, replacing existing ones.
    ///
    /// Lines may end with LF or CRLF; a line that starts with `#HttpOnly_` is a cookie, another `#` starts a comment.
    /// - Throws: `HTTPMessageError` (`invalidCookieFile`) with the number of the first damaged line, also for a cookie
    ///   of a public suffix. No cookie is added then.
    public func restore(netscapeText text: String) throws(HTTPMessageError) {
        let cookies = try CookieFile.cookies(in: text, suffixes: suffixes)
        let now = now()
        store.withLock { store in
            for cookie in cookies where !cookie.isExpired(at: now) { store.insert(cookie, now: now) }
        }
    }

    /// The value of a request's `Cookie` field, or nil without cookies, and the last sign-out when its call began.
    /// Marks the cookies as used.
    ///
    /// The values of the request's own `Cookie` fields come first.
    func field(for request: HTTPRequest) -> (String?, since: Int) {
        let now = now()
        let (url, own) = (request.url, request.fields.values(of: .cookie))
        let context = CookieContext(request.options.cookieSite, method: request.method, url: url, suffixes: suffixes)
        let names = Set(own.flatMap(\.cookieNames))
        let (stored, since) = store.withLock { store -> ([Cookie], Int) in
            let since = request.options.call?.lastSignOut ?? SignOutClock.now
            // A further request of a call from before the jar was emptied is not one of the next user.
            return (since < store.emptied ? [] : store.use(for: url, in: context, now: now), since)
        }
        let kept = stored.filter { !names.contains($0.name) }.map(\.pair)
        let pairs = own.filter { !$0.isEmpty } + kept
        return (pairs.isEmpty ? nil : pairs.joined(separator: "; "), since)
    }
}

extension String {
    /// The names in the value of a `Cookie` field.
    fileprivate var cookieNames: [String] {
        split(separator: ";").map { pair in
            String(pair.contains("=") ? pair.prefix { $0 != "=" } : "").trimmingHTTPWhitespace
        }
    }
}

extension CookieJar: RedactedStringConvertible {
    /// The number of cookies, never their values.
    public var description: String { "a jar of \(cookies.count) cookies" }
}

extension CookieJar.Snapshot: RedactedStringConvertible {
    /// The number of cookies, never their values.
    public var description: String { "a snapshot of \(entries.count) cookies" }
}

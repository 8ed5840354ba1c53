public import Foundation
public import HTTPMessages
import Synchronization

/// Keeps the cookies of one client (RFC 6265bis), in memory.
///
/// Each jar is its own: two clients share cookies only when they are given the same jar. Everything may be called from
/// any thread.
///
/// There is no list of public suffixes here. A server cannot set cookies for a name without a dot, such as `com`, but
/// `a.co.uk` can set one for `co.uk`; a client that talks to servers of people who do not trust each other gives each
/// of them a jar. `SameSite` is kept and has no effect.
public final class CookieJar: Sendable {
    /// How much a jar holds. What is over a limit makes room by the rules of RFC 6265bis, section 5.7.
    public struct Limits: Hashable, Sendable {
        /// The most bytes of one cookie's name and value together; default 4096. A larger cookie is ignored.
        public var bytes: Int
        /// The most cookies of one domain; default 50.
        public var perDomain: Int
        /// The most cookies of all domains; default 3000.
        public var total: Int
        /// How long a cookie lives at most, whatever its server says; default 400 days.
        public var maximumAge: Duration

        /// Limits; what is left out has its default.
        public init(
            bytes: Int = 4096, perDomain: Int = 50, total: Int = 3000, maximumAge: Duration = .seconds(400 * 86_400)
        ) {
            self.bytes = bytes
            self.perDomain = perDomain
            self.total = total
            self.maximumAge = maximumAge
        }
    }

    /// What was in a jar at a moment, to be kept somewhere. Encoded it holds the cookies' values: keep it as safe as
    /// passwords.
    public struct Snapshot: Hashable, Sendable, Codable {
        let entries: [CookieStore.Entry]
        /// The cookies, oldest first.
        public var cookies: [Cookie] { entries.map(\.cookie) }
    }

    private let limits: Limits
    private let now: @Sendable () -> Date
    private let store: Mutex<CookieStore>

    /// An empty jar.
    /// - Parameter now: tells the time, which decides when cookies end.
    public init(limits: Limits = Limits(), now: @escaping @Sendable () -> Date = { Date() }) {
        self.limits = limits
        self.now = now
        store = Mutex(CookieStore(limits: limits))
    }

    /// All cookies that have not ended, oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return store.withLock { $0.entries(at: now).map(\.cookie) }
    }

    /// The cookies that a request to a URL is sent with, in their order.
    public func cookies(for url: URL) -> [Cookie] {
        let now = now()
        return store.withLock { $0.cookies(for: url, now: now) }
    }

    /// The cookies that a response sets, including those that it ends and without those that it may not set. The jar
    /// does not change.
    ///
    /// Each `Set-Cookie` field is one cookie, with whatever commas it holds (RFC 6265bis, section 5.6).
    public func cookies(in head: HTTPResponseHead) -> [Cookie] {
        let now = now()
        return head.fields.values(of: .setCookie)
            .compactMap { SetCookie($0[...], now: now, limits: limits)?.cookie(from: head.url) }
    }

    /// Takes the cookies that a response sets, and those of the redirects that led to it.
    public func receive(_ head: HTTPResponseHead) {
        for head in head.redirects + [head] where head.fields.contains(.setCookie) {
            let cookies = cookies(in: head)
            let now = now()
            store.withLock { store in
                for cookie in cookies { store.receive(cookie, from: head.url, now: now) }
            }
        }
    }

    /// Puts a cookie in, in the place of one with the same name, domain and path. One that has ended removes it.
    public func set(_ cookie: Cookie) {
        let now = now()
        store.withLock { $0.insert(cookie, now: now) }
    }

    /// Removes one cookie.
    public func remove(_ cookie: Cookie) { store.withLock { $0.removeAll(where: cookie.isReplaced) } }

    /// Removes every cookie.
    public func removeAll() { store.withLock { $0.removeAll { _ in true } } }

    /// Removes the cookies that have no end of their own.
    public func removeSessionCookies() { store.withLock { $0.removeAll { $0.expires == nil } } }

    /// What is in the jar.
    /// - Parameter includingSessionCookies: whether to keep also those that have no end of their own.
    public func snapshot(includingSessionCookies: Bool = false) -> Snapshot {
        let now = now()
        let entries = store.withLock { $0.entries(at: now) }
        return Snapshot(entries: entries.filter { includingSessionCookies || $0.cookie.expires != nil })
    }

    /// Adds what was in a jar, in the place of cookies that are here. What has ended meanwhile is left out.
    public func restore(_ snapshot: Snapshot) {
        let now = now()
        store.withLock { $0.insert(snapshot.entries, now: now) }
    }

    /// The value of the `Cookie` field of a request, or nil when it has none.
    /// - Parameter own: what the caller wrote there.
    func field(for url: URL, joining own: [String]) -> String? {
        let now = now()
        let names = Set(own.flatMap(\.cookieNames))
        let kept = store.withLock { $0.use(for: url, now: now) }.filter { !names.contains($0.name) }.map(\.pair)
        let pairs = own.filter { !$0.isEmpty } + kept
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }
}

extension String {
    /// The names in the value of a `Cookie` field.
    fileprivate var cookieNames: [String] {
        split(separator: ";").map { pair in
            String(pair.contains("=") ? pair.prefix { $0 != "=" } : "").trimmingHTTPBlanks
        }
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are; never their values.
    public var description: String { "a jar of \(cookies.count) cookies" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["jar": description]) }
}

extension CookieJar.Snapshot: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are; never their values.
    public var description: String { "a snapshot of \(entries.count) cookies" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["snapshot": description]) }
}

import Foundation
import HTTPMessages

/// The cookies of a jar by domain, without lock and clock.
///
/// A counter orders creation and use, so setting the wall clock back has no effect on the order.
struct CookieStore {
    /// A cookie with the counter values of its creation and last use.
    struct Entry: Hashable, Sendable, Codable {
        var cookie: Cookie
        var created: UInt64
        var used: UInt64
    }

    private let limits: CookieJar.Limits
    private var domains: [String: [Entry]] = [:]
    private(set) var count = 0
    private var counter: UInt64 = 0
    /// When the jar was emptied the last time, such as at a sign-out; 0 before.
    private(set) var emptied = 0

    init(limits: CookieJar.Limits = CookieJar.Limits()) { self.limits = limits }

    /// All unexpired cookies, oldest first.
    func entries(at now: Date) -> [Entry] {
        domains.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.created < $1.created }
    }

    // MARK: Storing

    /// Stores a cookie from a response, if the server may set it.
    mutating func receive(_ cookie: Cookie, from url: URL, now: Date) {
        guard Origin(url).isSecure || !wouldHideSecureCookie(cookie, now: now) else { return }
        insert(cookie, now: now)
    }

    /// Stores a cookie, replacing a matching one; an expired cookie only removes it.
    mutating func insert(_ cookie: Cookie, now: Date) {
        counter += 1
        var created = counter
        if let index = domains[cookie.domain]?.firstIndex(where: { $0.cookie.isReplaced(by: cookie) }),
            let replaced = remove(at: index, of: cookie.domain)
        {
            created = replaced.created
        }
        guard !cookie.isExpired(at: now) else { return }
        domains[cookie.domain, default: []].append(Entry(cookie: cookie, created: created, used: counter))
        count += 1
        evict(from: cookie.domain, cookie.partition, now: now)
    }

    /// Stores the entries of another store in their order, as newer than the present ones.
    mutating func insert(_ entries: [Entry], now: Date) {
        let byUse = entries.sorted { $0.used < $1.used }.map(\.cookie)
        for entry in entries.sorted(by: { $0.created < $1.created }) { insert(entry.cookie, now: now) }
        for cookie in byUse {
            counter += 1
            if let index = domains[cookie.domain]?.firstIndex(where: { $0.cookie == cookie }) {
                domains[cookie.domain]?[index].used = counter
            }
        }
    }

    /// Removes cookies at the end of a session, so that nothing of it is stored later.
    mutating func empty(where shouldRemove: (Cookie) -> Bool) {
        emptied = SignOutClock.tick()
        removeAll(where: shouldRemove)
    }

    mutating func removeAll(where shouldRemove: (Cookie) -> Bool) {
        for (domain, entries) in domains {
            let kept = entries.filter { !shouldRemove($0.cookie) }
            count -= entries.count - kept.count
            domains[domain] = kept.isEmpty ? nil : kept
        }
    }

    /// True when a cookie set without TLS would replace a secure one or be sent before it.
    private func wouldHideSecureCookie(_ cookie: Cookie, now: Date) -> Bool {
        domains.contains { domain, entries in
            (domain.domainMatches(host: cookie.domain) || cookie.domain.domainMatches(host: domain))
                && entries.contains {
                    $0.cookie.isSecure && $0.cookie.name == cookie.name && !$0.cookie.isExpired(at: now)
                        && $0.cookie.path.pathMatches(request: cookie.path)
                }
        }
    }

    // MARK: Sending

    /// The cookies for a request to a URL: longer paths first, then older ones (RFC 6265bis, section 5.8.3).
    func cookies(for url: URL, in context: CookieContext = CookieContext(), now: Date) -> [Cookie] {
        matches(for: url, in: context, now: now).map(\.entry.cookie)
    }

    /// Returns ``cookies(for:in:now:)`` and marks them as used.
    mutating func use(for url: URL, in context: CookieContext = CookieContext(), now: Date) -> [Cookie] {
        let found = matches(for: url, in: context, now: now)
        counter += 1
        for match in found { domains[match.domain]?[match.index].used = counter }
        return found.map(\.entry.cookie)
    }

    private struct Match {
        let domain: String
        let index: Int
        let entry: Entry
        var pathLength: Int { entry.cookie.path.utf8.count }
    }

    private func matches(for url: URL, in context: CookieContext, now: Date) -> [Match] {
        let origin = Origin(url)
        let path = url.cookiePath
        var found: [Match] = []
        for domain in origin.host.cookieDomains {
            for (index, entry) in (domains[domain] ?? []).enumerated() {
                let cookie = entry.cookie
                guard !cookie.isHostOnly || domain == origin.host, !cookie.isSecure || origin.isSecure,
                    cookie.path.pathMatches(request: path), !cookie.isExpired(at: now), context.sends(cookie)
                else { continue }
                found.append(Match(domain: domain, index: index, entry: entry))
            }
        }
        return found.sorted {
            $0.pathLength != $1.pathLength ? $0.pathLength > $1.pathLength : $0.entry.created < $1.entry.created
        }
    }

    // MARK: Eviction

    /// Evicts cookies until the limits hold, the least recently used first within each step.
    ///
    /// The steps: expired cookies, insecure cookies of the domain, other cookies of the domain, then all cookies. Each
    /// partition of a domain has its own limit, so that one has no effect on another.
    private mutating func evict(from domain: String, _ partition: String?, now: Date) {
        func isFull(_ store: CookieStore) -> Bool {
            store.domains[domain]?.count { $0.cookie.partition == partition } ?? 0 > limits.perDomain
        }
        guard count > limits.total || isFull(self) else { return }
        removeExpired(from: domain, now: now)
        if count > limits.total { removeAll { $0.isExpired(at: now) } }
        while isFull(self), let entries = domains[domain] {
            let own = entries.indices.filter { entries[$0].cookie.partition == partition }
            let insecure = own.filter { !entries[$0].cookie.isSecure }
            guard let index = (insecure.isEmpty ? own : insecure).min(by: { entries[$0].used < entries[$1].used })
            else { break }
            remove(at: index, of: domain)
        }
        while count > limits.total {
            let oldest = domains.compactMap { domain, entries in
                entries.indices.min { entries[$0].used < entries[$1].used }.map { (domain, $0, entries[$0].used) }
            }.min { $0.2 < $1.2 }
            guard let oldest else { break }
            remove(at: oldest.1, of: oldest.0)
        }
    }

    private mutating func removeExpired(from domain: String, now: Date) {
        guard let entries = domains[domain] else { return }
        let kept = entries.filter { !$0.cookie.isExpired(at: now) }
        count -= entries.count - kept.count
        domains[domain] = kept.isEmpty ? nil : kept
    }

    @discardableResult
    private mutating func remove(at index: Int, of domain: String) -> Entry? {
        let entry = domains[domain]?.remove(at: index)
        if domains[domain]?.isEmpty ?? false { domains[domain] = nil }
        count -= entry == nil ? 0 : 1
        return entry
    }
}

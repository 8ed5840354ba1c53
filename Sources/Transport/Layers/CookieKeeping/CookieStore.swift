import Foundation
import HTTPMessages

/// The cookies of a jar: takes what was received and the time, says what to send. It has no lock and no clock.
///
/// "Older" and "longer unused" are counted, not timed, so a clock that is set back does no harm.
struct CookieStore {
    /// A cookie, and its places in the order of creation and in the order of use.
    struct Entry: Hashable, Sendable, Codable {
        var cookie: Cookie
        var created: UInt64
        var used: UInt64
    }

    private let limits: CookieJar.Limits
    private var domains: [String: [Entry]] = [:]
    private(set) var count = 0
    private var clock: UInt64 = 0

    init(limits: CookieJar.Limits = CookieJar.Limits()) { self.limits = limits }

    /// All cookies that have not ended, oldest first.
    func entries(at now: Date) -> [Entry] {
        domains.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.created < $1.created }
    }

    // MARK: In

    /// A response from a URL sets a cookie.
    mutating func receive(_ cookie: Cookie, from url: URL, now: Date) {
        guard Origin(url).isSecure || !wouldHideSecureCookie(cookie, now: now) else { return }
        insert(cookie, now: now)
    }

    /// Puts a cookie in, in the place of the one that it replaces. One that has ended only removes that.
    mutating func insert(_ cookie: Cookie, now: Date) {
        clock += 1
        var created = clock
        if let index = domains[cookie.domain]?.firstIndex(where: { $0.cookie.isReplaced(by: cookie) }),
            let replaced = remove(at: index, of: cookie.domain)
        {
            created = replaced.created
        }
        guard !cookie.isExpired(at: now) else { return }
        domains[cookie.domain, default: []].append(Entry(cookie: cookie, created: created, used: clock))
        count += 1
        makeRoom(in: cookie.domain, now: now)
    }

    /// Puts entries of another store in; their orders are kept, and all count as newer than what is here.
    mutating func insert(_ entries: [Entry], now: Date) {
        let byUse = entries.sorted { $0.used < $1.used }.map(\.cookie)
        for entry in entries.sorted(by: { $0.created < $1.created }) { insert(entry.cookie, now: now) }
        for cookie in byUse {
            clock += 1
            if let index = domains[cookie.domain]?.firstIndex(where: { $0.cookie == cookie }) {
                domains[cookie.domain]?[index].used = clock
            }
        }
    }

    mutating func removeAll(where isGone: (Cookie) -> Bool) {
        for (domain, entries) in domains {
            let kept = entries.filter { !isGone($0.cookie) }
            count -= entries.count - kept.count
            domains[domain] = kept.isEmpty ? nil : kept
        }
    }

    /// True when a cookie set without TLS would take the place of a secure one, or be sent before it.
    private func wouldHideSecureCookie(_ cookie: Cookie, now: Date) -> Bool {
        domains.contains { domain, entries in
            (domain.domainMatches(host: cookie.domain) || cookie.domain.domainMatches(host: domain))
                && entries.contains {
                    $0.cookie.isSecure && $0.cookie.name == cookie.name && !$0.cookie.isExpired(at: now)
                        && $0.cookie.path.pathMatches(request: cookie.path)
                }
        }
    }

    // MARK: Out

    /// The cookies for a request to a URL: longer paths first, then older ones (RFC 6265bis, section 5.8.3).
    func cookies(for url: URL, now: Date) -> [Cookie] { places(for: url, now: now).map(\.entry.cookie) }

    /// The same, and they count as used.
    mutating func use(for url: URL, now: Date) -> [Cookie] {
        let places = places(for: url, now: now)
        clock += 1
        for place in places { domains[place.domain]?[place.index].used = clock }
        return places.map(\.entry.cookie)
    }

    private struct Place {
        let domain: String
        let index: Int
        let entry: Entry
        var pathLength: Int { entry.cookie.path.utf8.count }
    }

    private func places(for url: URL, now: Date) -> [Place] {
        let origin = Origin(url)
        let path = url.cookiePath
        var places: [Place] = []
        for domain in origin.host.cookieDomains {
            for (index, entry) in (domains[domain] ?? []).enumerated() {
                let cookie = entry.cookie
                guard !cookie.isHostOnly || domain == origin.host, !cookie.isSecure || origin.isSecure,
                    cookie.path.pathMatches(request: path), !cookie.isExpired(at: now)
                else { continue }
                places.append(Place(domain: domain, index: index, entry: entry))
            }
        }
        return places.sorted {
            $0.pathLength != $1.pathLength ? $0.pathLength > $1.pathLength : $0.entry.created < $1.entry.created
        }
    }

    // MARK: Room

    /// Lets go of cookies until the limits hold: those that have ended, then within the domain those that are not
    /// secure, then others of it, then any; of equals the one that was not used for longest.
    private mutating func makeRoom(in domain: String, now: Date) {
        guard count > limits.total || domains[domain]?.count ?? 0 > limits.perDomain else { return }
        removeAll { $0.isExpired(at: now) }
        while let entries = domains[domain], entries.count > limits.perDomain {
            let insecure = entries.indices.filter { !entries[$0].cookie.isSecure }
            let candidates = insecure.isEmpty ? Array(entries.indices) : insecure
            guard let index = candidates.min(by: { entries[$0].used < entries[$1].used }) else { break }
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

    @discardableResult
    private mutating func remove(at index: Int, of domain: String) -> Entry? {
        let entry = domains[domain]?.remove(at: index)
        if domains[domain]?.isEmpty ?? false { domains[domain] = nil }
        count -= entry == nil ? 0 : 1
        return entry
    }
}

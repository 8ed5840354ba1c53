import Foundation
import HTTPMessages

/// What the site of a request says about its cookies (RFC 6265bis, sections 5.2 and 5.8.3).
struct CookieContext {
    /// The partition of other sites' pages; nil for that of the request's own site.
    private(set) var partition: String?
    private var isSameSite = true
    private var isNavigation = false
    private var isSafe = true

    /// A request of a client without pages: of its own site.
    init() {}

    init(_ site: CookieSite?, method: HTTPMethod, url: URL, suffixes: PublicSuffixes) {
        guard let site else { return }
        let page = suffixes.site(of: site.url)
        isSameSite = page == suffixes.site(of: url)
        isNavigation = site.isNavigation
        isSafe = method.isSafe
        if !isSameSite, !isNavigation { partition = page }
    }

    /// Whether a cookie of the right domain and path is sent.
    ///
    /// A cookie without the attribute is as one with `Lax`.
    func sends(_ cookie: Cookie) -> Bool {
        guard !cookie.isPartitioned || cookie.partition == partition else { return false }
        return switch cookie.sameSite {
        case Cookie.SameSite.none?: true
        case .strict?: isSameSite
        case .lax?, nil: isSameSite || isNavigation && isSafe
        }
    }

    /// A received cookie as it is stored, in its partition; nil for one that may not be stored.
    func stored(_ cookie: Cookie) -> Cookie? {
        guard isSameSite || isNavigation || cookie.sameSite == Cookie.SameSite.none else { return nil }
        return cookie.isPartitioned ? cookie.inPartition(partition) : cookie
    }
}

extension PublicSuffixes {
    /// The site of a URL: its scheme, and the registrable domain of its host, or an IP address or public suffix itself.
    func site(of url: URL) -> String {
        let origin = Origin(url)
        return "\(origin.scheme)://\(registrableDomain(of: origin.host))"
    }

    private func registrableDomain(of host: String) -> String {
        guard host.canHaveSubdomains, !contains(host) else { return host }
        var domain = host[...]
        while let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) {
            let parent = domain[dot...].dropFirst()
            if contains(String(parent)) { return String(domain) }
            domain = parent
        }
        return host
    }
}

import Foundation
import HTTPMessages

/// What the site of a request says about its cookies (RFC 6265bis, sections 5.2 and 5.8.3).
struct CookieContext {
    /// The partition of other sites' pages; nil for that of the request's own site.
    private(set) var partition: String?
    private var isSameSite = true
    private var isNavigation = false
    private var isSafe = true
    /// False in a page without a site: it shares no partition with another one.
    private var hasPartition = true

    /// A request of a client without pages: of its own site.
    init() {}

    init(_ site: CookieSite?, method: HTTPMethod, url: URL, suffixes: PublicSuffixes) {
        guard let site else { return }
        let page = suffixes.site(of: site.url)
        isSameSite = page != nil && page == suffixes.site(of: url)
        isNavigation = site.isNavigation
        isSafe = method.isSafe
        guard !isSameSite, !isNavigation else { return }
        partition = page
        hasPartition = page != nil
    }

    /// Whether a cookie of the right domain and path is sent.
    ///
    /// A cookie without the attribute is as one with `Lax`, and so is one with `None` that is not secure.
    func sends(_ cookie: Cookie) -> Bool {
        guard !cookie.isPartitioned || hasPartition && cookie.partition == partition else { return false }
        guard !isSameSite, !cookie.isForAllSites else { return true }
        return isNavigation && isSafe && cookie.sameSite != .strict
    }

    /// A received cookie as it is stored, in its partition; nil for one that may not be stored.
    func stored(_ cookie: Cookie) -> Cookie? {
        guard isSameSite || isNavigation || cookie.isForAllSites else { return nil }
        guard cookie.isPartitioned else { return cookie }
        return hasPartition ? cookie.inPartition(partition) : nil
    }
}

extension Cookie {
    /// True with `SameSite=None`, which only a secure cookie may have (RFC 6265bis, section 5.7).
    fileprivate var isForAllSites: Bool { sameSite == .crossSite && isSecure }
}

extension PublicSuffixes {
    /// The site of a URL: its scheme, and the registrable domain of its host, or an IP address or public suffix itself.
    ///
    /// Nil for a page with an opaque origin, such as a `data` or `file` URL.
    func site(of url: URL) -> String? {
        let origin = Origin(url)
        guard ["http", "https"].contains(origin.scheme), !origin.host.isEmpty else { return nil }
        return "\(origin.scheme)://\(registrableDomain(of: origin.host))"
    }

    private func registrableDomain(of host: String) -> String {
        // The maximum length of a DNS name; a redirect can contain a longer one, and each label costs a look-up.
        guard host.utf8.count <= 255, host.canHaveSubdomains, !contains(host) else { return host }
        var domain = host[...]
        while let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) {
            let parent = domain[dot...].dropFirst()
            if contains(String(parent)) { return String(domain) }
            domain = parent
        }
        return host
    }
}

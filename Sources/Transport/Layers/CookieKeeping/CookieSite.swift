public import Foundation
import HTTPMessages
public import PatchbayErrors

/// The page that a request is sent for, by which `SameSite` and `Partitioned` have their effect (RFC 6265bis, section
/// 5.2).
///
/// ```swift
/// request.options.cookieSite = .page(webPage)
/// ```
///
/// Two URLs are of the same site if they have the same scheme and the same registrable domain: one label more than a
/// public suffix. See ``PublicSuffixes`` for what is known of them.
public struct CookieSite: Hashable, Sendable, RedactedStringConvertible {
    let url: URL
    let isNavigation: Bool

    /// A resource of the page at a URL, such as an image, a frame or a request of its scripts.
    ///
    /// To another site, only secure cookies with `SameSite=None` are sent, and only those are stored. Partitioned
    /// cookies are those of the page's site; a page without one, such as a file or a `data` URL, has none.
    public static func page(_ url: URL) -> CookieSite { CookieSite(url: url, isNavigation: false) }

    /// A page of its own, opened by a link or a form of the page at a URL.
    ///
    /// To another site, cookies with `SameSite=Strict` are not sent, and with methods other than GET, HEAD, OPTIONS and
    /// TRACE only secure ones with `SameSite=None` are.
    public static func navigation(from url: URL) -> CookieSite { CookieSite(url: url, isNavigation: true) }

    /// The part of a cache key by which a response to another origin's page is not used for others; nil for a page of
    /// the request's own origin.
    ///
    /// Two origins may be of one site; a cache does not know the suffixes of a jar, and so keeps them apart.
    package func cacheKey(for url: URL) -> String? {
        let page = Origin(self.url)
        return page == Origin(url) ? nil : "\(isNavigation ? "navigation" : "page") \(page.text)"
    }

    /// The kind of request, and the page's redacted URL.
    public var description: String {
        "\(isNavigation ? "navigation from" : "page") \(Redaction.standard.redacted(url))"
    }
}

import Foundation
import HTTPMessages

/// One parsed `Set-Cookie` value (RFC 6265bis, section 5.6).
struct SetCookie {
    private(set) var name: String
    private(set) var value: String
    private(set) var expires: Date?
    private(set) var domain = ""
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: Cookie.SameSite?
    private(set) var isPartitioned = false

    /// Returns nil for a cookie to ignore: without name and value, or larger than the limit.
    /// - Parameter now: the start of `Max-Age`.
    init?(_ text: Substring, now: Date, limits: CookieJar.Limits = CookieJar.Limits()) {
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard let first = parts.first else { return nil }
        let pair = first.attribute
        (name, value) = pair.value.map { (pair.name, $0) } ?? ("", pair.name)
        guard !name.isEmpty || !value.isEmpty, name.utf8.count + value.utf8.count <= limits.bytesPerCookie else {
            return nil
        }
        let latest = now.addingTimeInterval(limits.maximumAge / .seconds(1))
        var maxAge: Date?
        for part in parts.dropFirst() {
            let attribute = part.attribute
            let value = attribute.value ?? ""
            guard value.utf8.count <= 1024 else { continue }
            switch attribute.name.lowercased() {
            case "expires": if let date = HTTPDate(parsing: value)?.date { expires = min(date, latest) }
            case "max-age": if let age = value.maxAge { maxAge = age > 0 ? min(now + age, latest) : .distantPast }
            case "domain":
                domain = (value.utf8.first == UInt8(ascii: ".") ? value.dropFirst() : value[...]).lowercased()
            case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "samesite": sameSite = Cookie.SameSite(rawValue: value.lowercased())
            case "partitioned": isPartitioned = true
            default: break
            }
        }
        expires = maxAge ?? expires
    }

    /// The cookie to store for a response from a URL; nil when the server may not set it (RFC 6265bis, section 5.7).
    ///
    /// A server whose host is a public suffix sets cookies for that host only.
    func cookie(from url: URL, suffixes: PublicSuffixes) -> Cookie? {
        let origin = Origin(url)
        guard !isSecure || origin.isSecure else { return nil }
        // `__Host-` requires an explicit `Path=/`; the default path is not enough.
        guard !name.lowercased().hasPrefix("__host-") || path == "/" else { return nil }
        // A dot at the end makes another name of the same domain, which no list of suffixes has.
        guard domain.utf8.last != UInt8(ascii: ".") else { return nil }
        let isHostOnly =
            domain.isEmpty || domain == origin.host && (!domain.canHaveSubdomains || suffixes.contains(domain))
        guard isHostOnly || domain.domainMatches(host: origin.host) && !suffixes.contains(domain) else { return nil }
        return try? Cookie(
            name, value, domain: isHostOnly ? origin.host : domain, path: path ?? url.defaultCookiePath,
            isHostOnly: isHostOnly, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite,
            isPartitioned: isPartitioned, expires: expires)
    }
}

extension Substring {
    /// The trimmed parts before and after the first equals sign.
    fileprivate var attribute: (name: String, value: String?) {
        guard let equals = utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return (String(self).trimmingHTTPWhitespace, nil)
        }
        return (
            String(self[..<equals]).trimmingHTTPWhitespace, String(self[equals...].dropFirst()).trimmingHTTPWhitespace
        )
    }
}

extension String {
    /// The seconds of a `Max-Age`, or nil when it is invalid.
    fileprivate var maxAge: TimeInterval? {
        let isNegative = utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? utf8.dropFirst() : utf8[...]
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // A number too large for Int64 is clamped; `Limits.maximumAge` caps it anyway.
        return isNegative ? 0 : TimeInterval(Int64(Substring(digits)) ?? .max)
    }
}

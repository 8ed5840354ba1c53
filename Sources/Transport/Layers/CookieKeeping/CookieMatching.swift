import Foundation
import HTTPMessages

// The matching rules of RFC 6265bis, sections 5.1.3 and 5.1.4. They compare bytes: Swift's `String` comparison would
// treat canonically equivalent Unicode strings as equal.

extension String {
    /// True when a cookie of this domain, unless it is host-only, is sent to a host.
    func domainMatches(host: String) -> Bool {
        if utf8.elementsEqual(host.utf8) { return true }
        let (domain, host) = (utf8, host.utf8)
        guard host.count > domain.count, canHaveSubdomains else { return false }
        return host.suffix(domain.count).elementsEqual(domain)
            && host.dropLast(domain.count).last == UInt8(ascii: ".")
    }

    /// False for IP addresses and for names without a dot, which are local host names or top-level domains.
    var canHaveSubdomains: Bool {
        let labels = utf8.split(separator: UInt8(ascii: "."))
        guard labels.count > 1, let first = labels.last?.first else { return false }
        // The last label of an IPv4 address starts with a digit; no top-level domain does.
        return !(0x30...0x39).contains(first) && !utf8.contains(UInt8(ascii: ":"))
    }

    /// True when the text is valid as a cookie's domain.
    var isCookieHost: Bool {
        !utf8.isEmpty && utf8.first != UInt8(ascii: ".")
            && utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "/") }
    }

    /// This host and its parent domains, whose cookies it can receive.
    var cookieDomains: [String] {
        var domains = [self]
        // The maximum length of a DNS name; a redirect can contain a longer one.
        guard utf8.count <= 255 else { return domains }
        var rest = self[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[dot...].dropFirst()
            let parent = String(rest)
            if parent.canHaveSubdomains { domains.append(parent) }
        }
        return domains
    }

    /// True when a cookie of this path is sent with a request for `path`.
    func pathMatches(request path: String) -> Bool {
        let (own, other) = (utf8, path.utf8)
        guard other.starts(with: own) else { return false }
        return own.count == other.count || own.last == UInt8(ascii: "/")
            || other.dropFirst(own.count).first == UInt8(ascii: "/")
    }
}

extension URL {
    /// The path in its encoded form, or "/".
    var cookiePath: String {
        let path = URLReference(absoluteString[...]).path
        return path.isEmpty ? "/" : String(path)
    }

    /// The default path of cookies without a `Path` attribute.
    var defaultCookiePath: String {
        let path = cookiePath
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

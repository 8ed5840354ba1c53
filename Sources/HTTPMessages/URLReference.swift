/// The five parts of a URL or of a relative reference, as they stand in its text (RFC 3986, section 3).
///
/// Every text has such parts; whether they hold characters that they may is not looked at.
package struct URLReference {
    package var scheme: Substring?
    package var authority: Substring?
    package var path: Substring
    package var query: Substring?
    package var fragment: Substring?

    package init(_ text: Substring) {
        var rest = text.utf8
        if let colon = rest.firstIndex(where: \.endsSchemeOrMore), rest[colon] == UInt8(ascii: ":"),
            rest[..<colon].isScheme
        {
            scheme = Substring(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(where: \.endsAuthority) ?? rest.endIndex
            authority = Substring(rest[..<end])
            rest = rest[end...]
        }
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = Substring(rest[rest.index(after: hash)...])
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = Substring(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        path = Substring(rest)
    }

    /// The authority's host, an IPv6 address with its brackets, and the digits of its port, if it names one.
    var hostAndPort: (host: Substring, port: Substring) {
        let authority = authority ?? ""
        let text = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), !text[colon...].utf8.contains(UInt8(ascii: "]"))
        else { return (text, "") }
        return (text[..<colon], text[colon...].dropFirst())
    }

    /// The text of the parts (RFC 3986, section 5.3).
    package var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// The reference of an absolute `http` or `https` URL in its usual spelling (RFC 3986, section 6.2): scheme and host
    /// in lower case, no port where it is the scheme's own, `/` for an empty path, no dot segments.
    ///
    /// Percent-encoding stays as it is, that of a host too: a server may compare or sign the text.
    var normalized: URLReference {
        var normalized = self
        let scheme = scheme?.lowercased() ?? ""
        normalized.scheme = scheme[...]
        let (host, digits) = hostAndPort
        let port = digits.drop { $0 == "0" }
        let name = host.utf8.contains(UInt8(ascii: "%")) ? String(host) : host.lowercased()
        let isUsual = port.isEmpty || port == (scheme == "https" ? "443" : "80")
        normalized.authority = isUsual ? name[...] : "\(name):\(port)"
        normalized.path = path.isEmpty ? "/" : path.removingDotSegments
        return normalized
    }

    /// The target of this reference as seen from a base (RFC 3986, section 5.2.2, strict).
    package func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil {
            target.path = path.removingDotSegments
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = path.removingDotSegments
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == UInt8(ascii: "/") {
            target.path = path.removingDotSegments
        } else {
            target.path = base.merged(with: path).removingDotSegments
        }
        return target
    }

    /// A relative path put in the place of this one's last segment (RFC 3986, section 5.2.3).
    private func merged(with relative: Substring) -> Substring {
        if authority != nil, path.isEmpty { return "/" + relative }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return path[...slash] + relative
    }
}

extension Substring {
    /// The path without `.` and `..` (RFC 3986, section 5.2.4); `..` at the root stays there.
    fileprivate var removingDotSegments: Substring {
        guard utf8.holdsDotSegment else { return self }
        let isRooted = utf8.first == UInt8(ascii: "/")
        let segments = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        var kept: [Substring] = []
        for segment in segments.dropFirst(isRooted ? 1 : 0) {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        // A dot segment at the end leaves the slash before it.
        if let last = segments.last, last == "." || last == ".." {
            if isRooted || !kept.isEmpty { kept.append("") }
        }
        return (isRooted ? "/" : "") + Substring(kept.joined(separator: "/"))
    }
}

extension Substring.UTF8View {
    /// True when a segment is, or may be, `.` or `..`: one that starts with a dot.
    fileprivate var holdsDotSegment: Bool {
        var previous = UInt8(ascii: "/")
        for byte in self {
            if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return true }
            previous = byte
        }
        return false
    }

    fileprivate var isScheme: Bool {
        guard let first, first.isASCIILetter else { return false }
        return allSatisfy {
            $0.isASCIILetter || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    fileprivate var endsAuthority: Bool {
        self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }

    fileprivate var endsSchemeOrMore: Bool { self == UInt8(ascii: ":") || endsAuthority }
}

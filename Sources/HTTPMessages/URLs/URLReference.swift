/// The five components of a URL or a relative reference, unchanged (RFC 3986, section 3).
///
/// Any string can be split; the characters are not validated.
package struct URLReference {
    package var scheme: Substring?
    package var authority: Substring?
    package var path: Substring
    package var query: Substring?
    package var fragment: Substring?

    package init(_ text: Substring) {
        var rest = text.utf8
        if let colon = rest.firstIndex(where: \.endsScheme), rest[colon] == UInt8(ascii: ":"),
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

    /// Host (an IPv6 address in brackets) and port digits of the authority; the port may be empty.
    var hostAndPort: (host: Substring, port: Substring) {
        let authority = authority ?? ""
        let text = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), !text[colon...].utf8.contains(UInt8(ascii: "]"))
        else { return (text, "") }
        return (text[..<colon], text[colon...].dropFirst())
    }

    /// The components recomposed (RFC 3986, section 5.3).
    package var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// The normalized form of an absolute `http` or `https` URL (RFC 3986, section 6.2).
    ///
    /// Scheme and host in lower case, no default port, `/` for an empty path, no dot segments. Percent-encoding is
    /// unchanged, also in the host, because a server may compare or sign the URL.
    package var normalized: URLReference {
        var normalized = self
        let scheme = scheme?.lowercased() ?? ""
        normalized.scheme = scheme[...]
        let (host, digits) = hostAndPort
        let port = digits.drop { $0 == "0" }
        let name = host.utf8.contains(UInt8(ascii: "%")) ? String(host) : host.lowercased()
        let isDefaultPort = port.isEmpty || port == (scheme == "https" ? "443" : "80")
        normalized.authority = isDefaultPort ? name[...] : "\(name):\(port)"
        normalized.path = path.isEmpty ? "/" : path.removingDotSegments
        return normalized
    }

    /// Resolves this reference against a base URL (RFC 3986, section 5.2.2, strict).
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

    /// Replaces the last segment of the path by a relative path (RFC 3986, section 5.2.3).
    private func merged(with relative: Substring) -> Substring {
        if authority != nil, path.isEmpty { return "/" + relative }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return path[...slash] + relative
    }
}

extension Substring {
    /// The path without `.` and `..` segments (RFC 3986, section 5.2.4); `..` at the root is dropped.
    fileprivate var removingDotSegments: Substring {
        guard utf8.containsDotSegment else { return self }
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
        // A trailing dot segment leaves a trailing slash.
        if let last = segments.last, last == "." || last == ".." {
            if isRooted || !kept.isEmpty { kept.append("") }
        }
        return (isRooted ? "/" : "") + Substring(kept.joined(separator: "/"))
    }
}

extension Substring.UTF8View {
    /// True if a segment starts with a dot, so that it may be `.` or `..`.
    package var containsDotSegment: Bool {
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

    fileprivate var endsScheme: Bool { self == UInt8(ascii: ":") || endsAuthority }
}

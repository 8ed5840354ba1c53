public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// A stored cookie (RFC 6265bis, section 5.7).
///
/// The value is a secret and does not appear in ``description``.
public struct Cookie: Hashable, Sendable {
    /// The `SameSite` attribute. It has an effect on requests with a ``CookieSite``: a client without pages has no
    /// cross-site requests.
    public enum SameSite: String, Hashable, Sendable, Codable {
        /// Sent with every request, if the cookie is secure; otherwise as ``lax``.
        case crossSite = "none"
        /// Sent with same-site requests and top-level navigation; a cookie without the attribute is like this.
        case lax
        /// Sent with same-site requests only.
        case strict
    }

    /// The name; empty when a server sent only a value.
    public let name: String
    /// The value.
    public let value: String
    /// The host, in lower case, without a leading dot.
    public let domain: String
    /// The path prefix of the requests that the cookie is sent with.
    public let path: String
    /// True when the cookie is sent to ``domain`` only, false when also to its subdomains.
    public let isHostOnly: Bool
    /// True when the cookie is sent over `https` only.
    public let isSecure: Bool
    /// True when the cookie is hidden from scripts.
    public let isHTTPOnly: Bool
    /// The `SameSite` attribute, if present.
    public let sameSite: SameSite?
    /// True with the `Partitioned` attribute, which only secure cookies have: the cookie is sent with requests of the
    /// ``partition`` that it was set in.
    public let isPartitioned: Bool
    /// The site of the pages that a partitioned cookie belongs to, such as `https://example.com`; nil for its own site.
    public private(set) var partition: String?
    /// The expiration date; nil for a session cookie.
    public let expires: Date?

    /// Creates a validated cookie; the defaults are those of a `Set-Cookie` without attributes.
    /// - Parameters:
    ///   - domain: a host; a leading dot is dropped.
    ///   - isHostOnly: false to send the cookie to subdomains too; always true for IP addresses and names without a
    ///     dot.
    /// - Throws: `HTTPMessageError` (`invalidFieldValue`) for invalid characters, an invalid domain or path, a
    ///   prefix such as `__Host-` whose requirements are not met (RFC 6265bis, section 4.1.3), a partitioned cookie
    ///   that is not secure, or an expiration date that is not finite.
    public init(
        _ name: String, _ value: String, domain: String, path: String = "/", isHostOnly: Bool = true,
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil, isPartitioned: Bool = false,
        expires: Date? = nil
    ) throws(HTTPMessageError) {
        let host = (domain.utf8.first == UInt8(ascii: ".") ? domain.dropFirst() : domain[...]).lowercased()
        let isWithoutSubdomains = isHostOnly || !host.canHaveSubdomains
        try Self.check(name: name, value: value)
        guard host.isCookieHost else {
            throw HTTPMessageError(.invalidFieldValue, "Invalid cookie domain; use an ASCII host name.")
        }
        guard path.utf8.first == UInt8(ascii: "/"), path.isHTTPFieldValue, !path.utf8.contains(UInt8(ascii: ";")) else {
            throw HTTPMessageError(
                .invalidFieldValue, "Invalid cookie path; it must start with a slash and contain no semicolon.")
        }
        // A cookie without a name is sent as its value alone, so the value must not imitate a prefix.
        let prefixed = (name.isEmpty ? value : name).lowercased()
        guard !prefixed.hasPrefix("__secure-") || isSecure && !name.isEmpty else {
            throw HTTPMessageError(
                .invalidFieldValue, "A cookie with the prefix __Secure- must be secure; set `isSecure`.")
        }
        guard !prefixed.hasPrefix("__host-") || isSecure && !name.isEmpty && isWithoutSubdomains && path == "/" else {
            throw HTTPMessageError(
                .invalidFieldValue,
                "A cookie with the prefix __Host- must be secure and host-only and have the path /.")
        }
        guard !isPartitioned || isSecure else {
            throw HTTPMessageError(.invalidFieldValue, "A partitioned cookie must be secure; set `isSecure`.")
        }
        guard expires?.timeIntervalSinceReferenceDate.isFinite ?? true else {
            throw HTTPMessageError(
                .invalidFieldValue,
                "Invalid expiration date of a cookie; use a finite one, or nil for a session cookie.")
        }
        self.name = name
        self.value = value
        self.domain = host
        self.path = path
        self.isHostOnly = isWithoutSubdomains
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.isPartitioned = isPartitioned
        self.expires = expires
    }

    private static func check(name: String, value: String) throws(HTTPMessageError) {
        let separators: Set = [UInt8(ascii: ";"), UInt8(ascii: "=")]
        guard !name.isEmpty || !value.isEmpty, name.isHTTPFieldValue, value.isHTTPFieldValue,
            name == name.trimmingHTTPWhitespace, value == value.trimmingHTTPWhitespace,
            !name.utf8.contains(where: separators.contains), !value.utf8.contains(UInt8(ascii: ";"))
        else {
            throw HTTPMessageError(
                .invalidFieldValue,
                "Invalid cookie name or value: semicolons, control characters, surrounding blanks and an equals sign "
                    + "in the name are not allowed.")
        }
    }

    /// The form in a `Cookie` field (RFC 6265bis, section 5.8.3).
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    /// The cookie in a partition.
    func inPartition(_ partition: String?) -> Cookie {
        var cookie = self
        cookie.partition = partition
        return cookie
    }

    /// True when the cookie has expired.
    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// True when both cookies have the same name, domain, path and partition, so the other one replaces this one.
    func isReplaced(by other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
            && isPartitioned == other.isPartitioned && partition == other.partition
    }
}

extension Cookie: RedactedStringConvertible {
    /// Name, domain and path, never the value.
    public var description: String {
        "\(name.isEmpty ? "(no name)" : name)=\(Redaction.placeholder) for \(isHostOnly ? "" : ".")\(domain)\(path)"
    }
}

extension Cookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, domain, path, isHostOnly, isSecure, isHTTPOnly, sameSite, isPartitioned, partition, expires
    }

    /// Decodes and validates a cookie, including its value.
    /// - Throws: `DecodingError`; `HTTPMessageError` (`invalidFieldValue`).
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            values.decode(String.self, forKey: .name), values.decode(String.self, forKey: .value),
            domain: values.decode(String.self, forKey: .domain), path: values.decode(String.self, forKey: .path),
            isHostOnly: values.decode(Bool.self, forKey: .isHostOnly),
            isSecure: values.decode(Bool.self, forKey: .isSecure),
            isHTTPOnly: values.decode(Bool.self, forKey: .isHTTPOnly),
            sameSite: values.decodeIfPresent(SameSite.self, forKey: .sameSite),
            isPartitioned: values.decodeIfPresent(Bool.self, forKey: .isPartitioned) ?? false,
            expires: values.decodeIfPresent(Date.self, forKey: .expires))
        if isPartitioned { partition = try values.decodeIfPresent(String.self, forKey: .partition) }
    }
}

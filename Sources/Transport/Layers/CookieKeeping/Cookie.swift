public import Foundation
public import HTTPMessages

/// A cookie as a jar keeps it (RFC 6265bis, section 5.7): what a server set, and where it goes back to.
///
/// The value is a secret, and not in ``description``.
public struct Cookie: Hashable, Sendable {
    /// What a browser would send it along with. Kept, and of no effect: a client without pages has no other sites.
    public enum SameSite: String, Hashable, Sendable, Codable {
        /// With every request.
        case none
        /// With requests of its own site, and links to it.
        case lax
        /// With requests of its own site only.
        case strict
    }

    /// The name; empty where a server sent only a value.
    public let name: String
    /// The value, as it was sent.
    public let value: String
    /// The host it is for, in lower case, without a dot in front.
    public let domain: String
    /// The path below which it is sent.
    public let path: String
    /// True when it goes to exactly ``domain``, false when to hosts below that as well.
    public let isHostOnly: Bool
    /// True when it is sent over `https` only.
    public let isSecure: Bool
    /// True when scripts in a browser must not see it.
    public let isHTTPOnly: Bool
    /// What a browser would send it along with, if the server said that.
    public let sameSite: SameSite?
    /// When it ends; nil for a session cookie, which ends with the jar.
    public let expires: Date?

    /// A checked cookie; what is left out is as in a `Set-Cookie` without attributes.
    /// - Parameters:
    ///   - domain: a host; a dot in front is dropped.
    ///   - isHostOnly: whether hosts below the domain get none. It is always so for an IP address and a name without
    ///     a dot.
    /// - Throws: `HTTPMessageError` (`invalidFieldValue`) for what cannot be sent, what is not a host or not a path,
    ///   and names such as `__Host-x` whose promise is not kept (RFC 6265bis, section 4.1.3).
    public init(
        _ name: String, _ value: String, domain: String, path: String = "/", isHostOnly: Bool = true,
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil, expires: Date? = nil
    ) throws(HTTPMessageError) {
        let host = (domain.utf8.first == UInt8(ascii: ".") ? domain.dropFirst() : domain[...]).lowercased()
        let isWithoutSubdomains = isHostOnly || !host.canHaveSubdomains
        try Self.check(name: name, value: value)
        guard host.isCookieHost else {
            throw HTTPMessageError(.invalidFieldValue, "A cookie's domain is the ASCII name of a host.")
        }
        guard path.utf8.first == UInt8(ascii: "/"), path.isHTTPFieldValue, !path.utf8.contains(UInt8(ascii: ";")) else {
            throw HTTPMessageError(.invalidFieldValue, "A cookie's path starts with a slash and holds no semicolon.")
        }
        let promise = (name.isEmpty ? value : name).lowercased()
        guard !promise.hasPrefix("__secure-") || isSecure && !name.isEmpty else {
            throw HTTPMessageError(.invalidFieldValue, "A cookie whose name starts with __Secure- has to be secure.")
        }
        guard !promise.hasPrefix("__host-") || isSecure && !name.isEmpty && isWithoutSubdomains && path == "/" else {
            throw HTTPMessageError(
                .invalidFieldValue,
                "A cookie whose name starts with __Host- has to be secure, for one host, and for the path /.")
        }
        self.name = name
        self.value = value
        self.domain = host
        self.path = path
        self.isHostOnly = isWithoutSubdomains
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.expires = expires
    }

    private static func check(name: String, value: String) throws(HTTPMessageError) {
        let separators: Set = [UInt8(ascii: ";"), UInt8(ascii: "=")]
        guard !name.isEmpty || !value.isEmpty, name.isHTTPFieldValue, value.isHTTPFieldValue,
            name == name.trimmingHTTPBlanks, value == value.trimmingHTTPBlanks,
            !name.utf8.contains(where: separators.contains), !value.utf8.contains(UInt8(ascii: ";"))
        else {
            throw HTTPMessageError(
                .invalidFieldValue,
                "A cookie's name and value hold no semicolons and control characters, the name no equals sign, and no "
                    + "blanks are around them.")
        }
    }

    /// As it stands in a `Cookie` field (RFC 6265bis, section 5.8.3).
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    /// True when the cookie has ended.
    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// True when the other cookie takes this one's place.
    func isReplaced(by other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Name, domain and path; never the value. A cookie without a name has nothing but a value, so nothing is shown.
    public var description: String {
        "\(name.isEmpty ? "(no name)" : name)=\(Redaction.mark) for \(isHostOnly ? "" : ".")\(domain)\(path)"
    }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}

extension Cookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, domain, path, isHostOnly, isSecure, isHTTPOnly, sameSite, expires
    }

    /// Reads a cookie, with its value, and checks it.
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
            expires: values.decodeIfPresent(Date.self, forKey: .expires))
    }
}

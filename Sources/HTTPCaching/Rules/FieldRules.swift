import HTTPMessages
import Synchronization

/// Which fields of a response are stored, and how a 304 changes them (RFC 9111, sections 3.1 and 3.2).
enum FieldRules {
    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]
    private static let cookieFields: Set<String> = ["set-cookie", "set-cookie2"]
    private static let challengeFields: Set<String> = ["www-authenticate", "authentication-info"]
    /// The fields that describe the stored bytes, which a 304 does not have.
    private static let contentFields: Set<String> = [
        "content-length", "content-encoding", "content-type", "content-range", "content-digest",
    ]
    /// Fewer than ``Redaction/standard`` has: a field such as `Surrogate-Key` is no secret.
    private static let secrets = SecretNames(
        Redaction(words: [
            "authorization", "cookie", "token", "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken",
            "session", "sessionid", "sessid", "jsessionid", "secret", "clientsecret", "password", "passwd",
            "credential", "credentials", "jwt", "apikey", "csrf", "xsrf", "csrftoken", "xsrftoken",
        ]))

    /// True for a field whose value must not be stored.
    static func isSecret(_ canonicalName: String) -> Bool { secrets.contains(canonicalName) }

    /// The fields to store.
    static func stored(_ fields: HTTPFields, _ directives: ResponseDirectives, _ rules: CacheRules) -> HTTPFields {
        var omitted = directives.noCacheFields
        if rules.isShared { omitted += directives.privateFields }
        if let named = fields[.connection] { omitted += names(in: named) }
        var kept = (rules.storesSetCookie ? withCookies : withoutCookies).positions(in: fields)
        if !omitted.isEmpty {
            // A server may name many.
            let names = Set(omitted)
            kept.removeAll { names.contains(fields[$0].name.canonicalName) }
        }
        return kept.count == fields.count ? fields : HTTPFields(kept.map { fields[$0] })
    }

    private static let withCookies = NameFilter { cookieFields.contains($0) || isKept($0) }
    private static let withoutCookies = NameFilter { !cookieFields.contains($0) && isKept($0) }

    private static func isKept(_ name: String) -> Bool {
        !connectionFields.contains(name) && !challengeFields.contains(name) && !isSecret(name)
    }

    /// Stored fields, updated by those of a 304 or of a response to `HEAD`.
    static func updated(_ stored: HTTPFields, by new: HTTPFields) -> HTTPFields {
        let replacing = HTTPFields(new.filter { !contentFields.contains($0.name.canonicalName) })
        // The age of the stored response was that of an older one, and so is its date, by which it would be stale.
        let kept = HTTPFields(stored.filter { $0.name != .age && ($0.name != .date || new.contains(.date)) })
        return kept.merging(replacing)
    }

    /// The fields of a 304 made of a stored response (RFC 9110, section 15.4.5).
    static func notModified(_ stored: HTTPFields) -> HTTPFields {
        HTTPFields(stored.filter { !contentFields.contains($0.name.canonicalName) })
    }

    /// The lower-case names in a list such as `Vary`, without empty ones.
    static func names(in list: String) -> [String] {
        list.split(separator: ",").map { String($0).trimmingHTTPWhitespace.lowercased() }.filter { !$0.isEmpty }
    }
}

extension HTTPFields {
    /// Fields that were valid before.
    init(_ fields: [Field]) {
        self.init()
        reserveCapacity(fields.count)
        for field in fields { append(field) }
    }
}

/// Which fields may be stored by their names, with a memo of the last ones: a server sends the same again and again.
private final class NameFilter: Sendable {
    private let isKept: @Sendable (String) -> Bool
    private let last = Mutex((names: [HTTPFieldName](), kept: [Int]()))

    init(_ isKept: @escaping @Sendable (String) -> Bool) { self.isKept = isKept }

    /// The positions of the fields to store.
    func positions(in fields: HTTPFields) -> [Int] {
        let known = last.withLock { last in
            last.names.count == fields.count && last.names.indices.allSatisfy { last.names[$0] == fields[$0].name }
                ? last.kept : nil
        }
        if let known { return known }
        let kept = fields.indices.filter { isKept(fields[$0].name.canonicalName) }
        let names = fields.map(\.name)
        last.withLock { $0 = (names, kept) }
        return kept
    }
}

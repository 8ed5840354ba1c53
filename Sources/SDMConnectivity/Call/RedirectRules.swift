import Foundation
import HTTPMessages

/// The rules of redirects: the target, the next method, and what is kept.
enum RedirectRules {
    /// The statuses that are followed.
    static let statuses: Set = [301, 302, 303, 307]
    /// The header fields that a redirect to `GET` keeps.
    static let keptHeaders = ["User-Agent", "Accept"]

    /// The target of a response with `Location`; nil without one.
    /// - Throws: `HTTPMessageError` (`invalidURL`).
    static func target(of head: HTTPResponseHead, from url: URL) throws(HTTPMessageError) -> URL? {
        guard let location = head.fields.values(of: .location).first, !location.isEmpty else { return nil }
        let target = URLReference(location[...]).resolved(against: URLReference(url.absoluteString[...]))
        return try URL(httpString: target.text)
    }

    /// True when the next request is a `GET` without body and headers, as in browsers; `HEAD` stays `HEAD`.
    static func becomesGet(_ status: Int, followsRFC2616: Bool) -> Bool {
        switch status {
        case 303: true
        case 301, 302: !followsRFC2616
        default: false
        }
    }

    /// True for header fields that must not reach another origin.
    static func isSecret(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        return Redaction.standard.isSecret(name) || lowercased.hasSuffix("-appcid") || lowercased == "mysapsso2"
    }
}

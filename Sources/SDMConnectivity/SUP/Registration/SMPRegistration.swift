import Foundation
import HTTPMessages
public import PatchbayErrors
import Transport

/// The registration of an app with a server.
public struct SMPRegistration: Hashable, Sendable, Codable {
    /// The identifier of the application.
    public let applicationID: String
    /// The identifier of the application connection (APPCID), which all later requests carry.
    public let connectionID: String
    /// The URL of the connection on the server.
    public let location: String
    /// The prefix of the header fields, as the server's cookies have it.
    public let style: SMPHeaderStyle
    /// The user that the server has accepted; nil if it is not known, as for an identifier that the app has set, and
    /// with anonymous access.
    public internal(set) var user: String?

    static let maximumIDLength = 128
}

extension SMPHeaderStyle: Codable {}

extension SMPRegistration {
    /// False for a registration of another user.
    func belongs(to user: String) -> Bool { self.user == nil || user.isEmpty || self.user == user }
}

extension SMPRegistration: RedactedStringConvertible {
    /// The application; the identifier of the connection is a secret.
    public var description: String { "registration of \(applicationID)" }
}

/// The identifier of an application connection in a response.
struct SMPConnectionID: Hashable, Sendable {
    let value: String
    let style: SMPHeaderStyle

    init?(_ value: String, style: SMPHeaderStyle) {
        guard Self.isValid(value) else { return nil }
        self.value = value
        self.style = style
    }

    /// Reads the cookie, or else the header field, that a server sets.
    init?(_ head: HTTPResponseHead, now: Date = Date()) {
        for style in SMPHeaderStyle.allCases {
            let cookies = head.fields.values(of: .setCookie).compactMap { text -> String? in
                let pair = text.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces) == style.connectionID,
                    !Self.isDeletion(text, now: now)
                else { return nil }
                return pair[1].trimmingCharacters(in: .whitespaces)
            }
            guard let value = cookies.last ?? head.fields[style.connectionID], Self.isValid(value) else { continue }
            self.value = value
            self.style = style
            return
        }
        return nil
    }

    /// True for a cookie that has expired, by which a server deletes the one of its name.
    private static func isDeletion(_ cookie: String, now: Date) -> Bool {
        var expires: Date?
        for attribute in cookie.split(separator: ";").dropFirst() {
            let pair = attribute.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard pair.count == 2 else { continue }
            switch pair[0].lowercased() {
            // It precedes `Expires`.
            case "max-age": if let seconds = Double(pair[1]) { return seconds <= 0 }
            case "expires": expires = HTTPDate(parsing: pair[1])?.date
            default: break
            }
        }
        return expires.map { $0 <= now } ?? false
    }

    /// Reads the key at the end of a connection's URL: `Connections('id')`.
    init?(location: String, style: SMPHeaderStyle) {
        guard let start = location.range(of: "Connections('", options: .backwards)?.upperBound,
            let end = location[start...].range(of: "')")?.lowerBound
        else { return nil }
        guard let key = location[start..<end].removingPercentEncoding else { return nil }
        self.init(key.replacing("''", with: "'"), style: style)
    }

    static func isValid(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.count <= SMPRegistration.maximumIDLength
            && value.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ";") }
    }
}

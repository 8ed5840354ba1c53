public import Foundation
import HTTPMessages

/// Protection space (RFC 9110, section 11.5): the origin of a server, or a proxy, and a realm.
///
/// Scheme, host and port must be equal, where a default port equals an absent one. So a credential of an `https` URL
/// never fits an `http` one, nor another host.
public struct ProtectionSpace: Hashable, Sendable {
    /// The server or the proxy; a nil origin is the one proxy of a transport.
    struct Recipient: Hashable, Sendable {
        let origin: Origin?
        let isProxy: Bool

        static func server(_ origin: Origin) -> Recipient { Recipient(origin: origin, isProxy: false) }

        static func proxy(_ url: URL?) -> Recipient { Recipient(origin: url.map { Origin($0) }, isProxy: true) }
    }

    let recipient: Recipient
    /// The realm.
    public let realm: String

    /// Creates the space of a server.
    /// - Parameter url: any URL of the server; path and query are ignored.
    public init(_ url: URL, realm: String) { self.init(.server(Origin(url)), realm: realm) }

    /// Creates the space of a proxy.
    /// - Parameter proxy: the URL of the proxy; nil for the proxy of the transport.
    public init(proxy: URL?, realm: String) { self.init(.proxy(proxy), realm: realm) }

    init(_ recipient: Recipient, realm: String) {
        self.recipient = recipient
        self.realm = realm
    }

    /// True for a space of a proxy.
    public var isProxy: Bool { recipient.isProxy }

    /// True if a URL has the origin of this space.
    public func contains(_ url: URL) -> Bool { recipient.origin == Origin(url) }
}

extension ProtectionSpace: CustomStringConvertible {
    /// The origin and the realm.
    public var description: String {
        let place = recipient.origin.map { isProxy ? "proxy \($0.text)" : $0.text } ?? "proxy of the transport"
        return "\(place), realm \(realm.debugDescription)"
    }
}

import Authentication
import Foundation
import HTTPMessages
import Synchronization

extension SDMHttpRequest {
    /// The user of an attempt by name: that of the credentials which the attempt carries; else, without a cookie, which
    /// may be a login, the one that the app has set, whose password the server may ask for. Nil if neither is known.
    func userName(of message: HTTPMessages.HTTPRequest) -> String? {
        credentialUser ?? (message.fields.contains(.cookie) ? nil : statedUser)
    }

    /// The user of the credentials that the attempt carries: those of the app, the session or a delegate; nil without.
    ///
    /// An `Authorization` field of the app counts by its user for Basic, else by a digest.
    var credentialUser: String? {
        credentialName ?? ownAuthorization.map { "#" + Fingerprint.text(of: $0) }
    }

    /// The name of the user of the credentials that the attempt carries; nil without, and for a token.
    var credentialName: String? {
        state.withLock(\.route.sent)?.credential.user ?? ownAuthorization.flatMap(Self.basicUser)
    }

    private var ownAuthorization: String? { state.withLock { $0.isHome ? $0.headers["Authorization"] : nil } }

    /// The user that the app, or its delegate since, has set for the server of the attempt; nil without one.
    var statedUser: String? {
        state.withLock { state in
            let own = state.isCredentialHome ? state.settings.username : nil
            let url = state.isHome ? state.route.home ?? state.settings.url : nil
            return own ?? url?.user(percentEncoded: false)
        }
    }

    private static func basicUser(_ field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let pair = Data(base64Encoded: String(parts[1]))
        else {
            return nil
        }
        return String(decoding: pair.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }
}

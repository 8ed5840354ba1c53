import Foundation
import Synchronization

extension SDMHttpRequest {
    /// The user that the app has set, to keep the tokens and cached responses of users apart; nil if it has set none.
    ///
    /// An `Authorization` field counts by its user for Basic, else by a hash, which is another one in each process.
    var userIdentity: String? {
        let (settings, field) = state.withLock { ($0.settings, $0.headers["Authorization"]) }
        guard let field else { return settings.username ?? settings.url?.user(percentEncoded: false) }
        return Self.basicUser(field) ?? "#\(field.hashValue)"
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

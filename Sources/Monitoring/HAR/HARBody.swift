import Foundation
import HTTPMessages

/// A body in an archive: text in UTF-8, or other bytes in Base64.
struct HARBody {
    private(set) var text: String?
    private(set) var encoding: String?
    private(set) var comment: String?

    /// - Parameter encoding: the one that the media type declares. A reader of the archive writes text in it, so that
    ///   bytes which would become others are kept in Base64, though they are UTF-8.
    init(_ body: Data, maximumBytes: Int, declared encoding: String.Encoding? = nil) {
        let limit = max(0, maximumBytes)
        var kept = body.prefix(limit)
        if kept.count < body.count {
            comment = "The first \(kept.count) of \(body.count) bytes."
            // Up to three bytes of a character that is cut.
            for _ in 0..<3 where kept.last.map({ $0 >= 0x80 }) == true && String(validating: kept, as: UTF8.self) == nil
            {
                kept = kept.dropLast()
            }
            if String(validating: kept, as: UTF8.self) == nil { kept = body.prefix(limit) }
        }
        if let text = String(validating: kept, as: UTF8.self), !kept.contains(0),
            encoding.map({ $0 == .utf8 || text.data(using: $0) == kept }) ?? true
        {
            self.text = text
        } else {
            text = kept.base64EncodedString()
            self.encoding = "base64"
        }
    }

    /// Fails for a body that cannot be decoded.
    static func check(_ text: String?, _ encoding: String?, _ path: [any CodingKey]) throws {
        guard encoding != nil else { return }
        do {
            _ = try data(text, encoding)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: path, debugDescription: error.message, underlyingError: error))
        }
    }

    static func data(_ text: String?, _ encoding: String?) throws(HARError) -> Data? {
        guard let text else { return nil }
        switch encoding?.lowercased() {
        case nil, "", "utf-8", "utf8": return Data(text.utf8)
        case "base64":
            // Tools break long lines.
            guard let data = Data(base64Encoded: text.filter { !$0.isWhitespace }) else {
                throw HARError(.invalidBase64, "The body is not valid Base64; export the archive again.")
            }
            return data
        default:
            throw HARError(.unsupportedEncoding, "The body has an unknown encoding; only `base64` is read.")
        }
    }
}

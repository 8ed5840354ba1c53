public import Foundation
import HTTPMessages

extension SDMHttpRequest {
    /// Returns Base64 (RFC 4648, section 4) in one line.
    public class func base64(for data: Data) -> String { data.base64EncodedString() }

    /// ``base64(for:)`` under the vendor's name.
    public class func base64forData(_ data: Data) -> String { base64(for: data) }

    /// Decodes Base64 of a text in UTF-8. White space is ignored.
    /// - Returns: nil for other characters, wrong padding, and bytes that are not UTF-8: see `Data(base64Encoded:)`.
    public class func decodeBase64(_ text: String) -> String? {
        Data(base64Encoded: String(text.filter { !$0.isWhitespace })).flatMap { String(data: $0, encoding: .utf8) }
    }

    /// Parses a date of RFC 1123, such as `Tue, 04 May 2010 00:59:00 GMT`.
    ///
    /// The weekday and the seconds may be missing; the zone is a name or an offset.
    /// - Returns: nil for another format, an impossible date, and a missing or unknown zone.
    public class func date(fromRFC1123String text: String) -> Date? { Date(rfc1123: text) }

    /// ``date(fromRFC1123String:)`` under the vendor's name.
    public class func dateFromRFC1123String(_ text: String) -> Date? { date(fromRFC1123String: text) }

    /// The media type of a file by its extension; `application/octet-stream` for none and for an unknown one.
    /// - Returns: nil if there is no file at the path.
    public class func mimeType(forFileAtPath path: String) -> String? {
        var isFolder = ObjCBool(false)
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
            return nil
        }
        return MediaType(fileName: path).essence
    }

    /// ``mimeType(forFileAtPath:)`` under the vendor's name.
    public class func mimeTypeForFileAtPath(_ path: String) -> String? { mimeType(forFileAtPath: path) }
}

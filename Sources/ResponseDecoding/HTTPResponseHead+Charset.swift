import HTTPMessages

extension HTTPResponseHead {
    /// The `charset` parameter of `Content-Type`, or nil.
    var charsetLabel: String? {
        // Fast path: parsing a media type takes longer than decoding a small body, and most are one of these.
        guard let text = fields[.contentType], text.utf8.contains(UInt8(ascii: ";")) else { return nil }
        switch text {
        case "application/json; charset=utf-8", "application/json;charset=utf-8", "application/json; charset=UTF-8",
            "application/json;charset=UTF-8":
            return "utf-8"
        default:
            return MediaType(parsing: text)?["charset"]
        }
    }
}

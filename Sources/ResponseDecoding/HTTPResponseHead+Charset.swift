import HTTPMessages

extension HTTPResponseHead {
    /// The charset that `Content-Type` names, or nil.
    var charsetLabel: String? {
        // Reading a media type is slow beside reading a small body; most have no parameters, or these.
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

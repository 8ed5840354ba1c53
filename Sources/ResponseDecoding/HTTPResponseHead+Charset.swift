import HTTPMessages

extension HTTPResponseHead {
    /// The charset that `Content-Type` names, or nil.
    var charsetLabel: String? {
        // Reading a media type is slow beside reading a small body; most have no parameters.
        guard let text = fields[.contentType], text.utf8.contains(UInt8(ascii: ";")) else { return nil }
        return MediaType(parsing: text)?["charset"]
    }
}

import HTTPMessages

extension HTTPResponseHead {
    /// The strong entity tag of the response, if it has one (RFC 9110, section 8.8.1).
    ///
    /// `Last-Modified` is not used: it is strong only under assumptions about the server's clock (section 8.8.2.2).
    package var strongEntityTag: String? {
        guard fields.values(of: .etag).count == 1, let tag = fields[.etag] else { return nil }
        let bytes = tag.utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return nil }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F } ? tag : nil
    }
}

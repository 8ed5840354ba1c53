public import HTTPMessages

extension RequestBody {
    /// Encodes this body and appends the coding to ``codings``; an empty body stays empty.
    /// - Parameter level: 0 (no compression) to 9 (smallest); clamped to this range.
    /// - Throws: `SystemLibraryError` (`missingLibrary`) if the system has no library of the coding.
    public func encoded(_ coding: ContentCoding, level: Int = 6) throws(SystemLibraryError) -> RequestBody {
        if isEmpty { return self }
        return RequestBody(
            try coding.encode(content, level: level), mediaType: mediaType, codings: codings + [coding])
    }
}

public import HTTPMessages
public import PatchbayErrors

/// Number and fields of one part of a multipart body.
///
/// The fields come from the other side; ``fileName`` is safe as a name in a folder, ``name`` is not.
public struct MultipartHead: Hashable, Sendable {
    /// The number of the part in the body, starting at 1.
    public let number: Int
    /// The fields of the part.
    public let fields: HTTPFields
    /// Offset of the fields in the body.
    public let byteOffset: Int

    /// Creates a head.
    public init(number: Int, fields: HTTPFields, byteOffset: Int = 0) {
        self.number = number
        self.fields = fields
        self.byteOffset = byteOffset
    }

    /// The parsed `Content-Disposition`; nil if there is none.
    public var disposition: ContentDisposition? {
        fields[.contentDisposition].flatMap { ContentDisposition(parsing: $0) }
    }

    /// The name of the form's field, as it was sent (RFC 7578, section 4.2); nil outside of forms.
    public var name: String? { disposition?["name"] }

    /// The last component of the name of the file, without control characters; nil for a part that is not a file.
    public var fileName: String? { disposition?.fileName }

    /// The media type; nil if there is none, which means `text/plain` (RFC 7578, section 4.4).
    public var mediaType: MediaType? { fields[.contentType].flatMap { MediaType(parsing: $0) } }

    /// The bytes that a part of `multipart/byteranges` holds (RFC 9110, section 14.6); nil elsewhere.
    public var contentRange: ContentRange? { fields[.contentRange].flatMap { ContentRange(parsing: $0) } }
}

extension MultipartHead: RedactedStringConvertible {
    /// The number and the names of the fields, never their values.
    public var description: String { "part \(number) with \(fields.map(\.name.rawName).joined(separator: ", "))" }
}

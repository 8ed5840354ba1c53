public import Foundation
import HTTPMessages

/// The body of a response (HAR 1.2, `content`).
public struct HARContent: Codable, Hashable, Sendable {
    /// The bytes of the body after content decoding.
    public var size: Int
    /// The bytes saved by the content coding; nil if unknown.
    public var compression: Int?
    /// The media type with its parameters; `x-unknown` without one.
    public var mimeType: String
    /// The body as text, or encoded; nil if it is not in the archive.
    public var text: String?
    /// `base64` if the text is encoded.
    public var encoding: String?
    /// A comment, such as that the body was cut.
    public var comment: String?

    /// Creates content.
    public init(
        size: Int, mimeType: String, text: String? = nil, encoding: String? = nil, compression: Int? = nil,
        comment: String? = nil
    ) {
        self.size = size
        self.compression = compression
        self.mimeType = mimeType
        self.text = text
        self.encoding = encoding
        self.comment = comment
    }

    /// Creates the content for a body: as text if it is UTF-8, otherwise in Base64. One that is UTF-8 though its media
    /// type has another charset is in Base64 too.
    /// - Parameter maximumBytes: the bytes to keep; a longer body is cut, and the comment says so.
    public init(body: Data, mimeType: String?, maximumBytes: Int = .max) {
        let declared = mimeType.flatMap { MediaType(parsing: $0) }?.declaredEncoding
        let kept = HARBody(body, maximumBytes: maximumBytes, declared: declared)
        self.init(
            size: body.count, mimeType: mimeType ?? "x-unknown", text: kept.text, encoding: kept.encoding,
            comment: kept.comment)
    }

    /// The bytes of the body: the text in UTF-8, or decoded from Base64. Nil if it is not in the archive.
    /// - Throws: ``HARError`` (`invalidBase64`, `unsupportedEncoding`).
    public func body() throws(HARError) -> Data? { try HARBody.data(text, encoding) }

    private enum CodingKeys: String, CodingKey { case size, compression, mimeType, text, encoding, comment }

    /// Decodes content, of which all may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decodeSize(forKey: .size)
        compression = try container.decodeIfPresent(Double.self, forKey: .compression).flatMap { Int(exactly: $0) }
        mimeType = try container.decodeIfPresent(String.self, forKey: .mimeType) ?? "x-unknown"
        text = try container.decodeIfPresent(String.self, forKey: .text)
        encoding = try container.decodeIfPresent(String.self, forKey: .encoding)
        comment = try container.decodeIfPresent(String.self, forKey: .comment)
        try HARBody.check(text, encoding, container.codingPath)
    }
}

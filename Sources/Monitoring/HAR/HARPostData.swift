public import Foundation
import HTTPMessages

/// The body of a request (HAR 1.2, `postData`): its text, or the parameters of a form.
public struct HARPostData: Codable, Hashable, Sendable {
    /// The media type with its parameters.
    public var mimeType: String
    /// The parameters of a form; nil if the body is in ``text``.
    public var params: [Parameter]?
    /// The body as text, or encoded.
    public var text: String?
    /// `base64` if the text is encoded, in the custom field `_encoding`. HAR 1.2 has no binary bodies of requests.
    public var encoding: String?
    /// A comment, such as that the body was cut.
    public var comment: String?

    /// A parameter of a form, perhaps a file.
    public struct Parameter: Codable, Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value, or the content of a file.
        public var value: String?
        /// The name of a file.
        public var fileName: String?
        /// The media type of a file.
        public var contentType: String?

        /// Creates a parameter.
        public init(_ name: String, _ value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// Creates the body of a request.
    public init(mimeType: String, text: String? = nil, params: [Parameter]? = nil) {
        self.mimeType = mimeType
        self.text = text
        self.params = params
    }

    /// Creates the body of a request: as text if it is UTF-8, otherwise in Base64.
    /// - Parameter maximumBytes: the bytes to keep; a longer body is cut, and the comment says so.
    public init(body: Data, mimeType: String?, maximumBytes: Int = .max) {
        let kept = HARBody(body, maximumBytes: maximumBytes)
        self.init(mimeType: mimeType ?? "", text: kept.text)
        encoding = kept.encoding
        comment = kept.comment
    }

    /// The bytes of the body: the text in UTF-8, decoded from Base64, or the parameters as a form. Nil if there are
    /// none in the archive, as of a file.
    /// - Throws: ``HARError`` (`invalidBase64`, `unsupportedEncoding`).
    public func body() throws(HARError) -> Data? {
        if let body = try HARBody.data(text, encoding) { return body }
        guard let params, params.allSatisfy({ $0.fileName == nil }), !mimeType.hasPrefix("multipart/") else {
            return nil
        }
        func encoded(_ text: String) -> String { text.percentEncoded(except: .unreserved) }
        let pairs = params.map { "\(encoded($0.name))=\(encoded($0.value ?? ""))" }
        return Data(pairs.joined(separator: "&").utf8)
    }

    private enum CodingKeys: String, CodingKey {
        case mimeType, params, text, comment
        case encoding = "_encoding"
    }

    /// Decodes the body of a request, of which all may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        mimeType = try container.decodeIfPresent(String.self, forKey: .mimeType) ?? ""
        params = try container.decodeIfPresent([Parameter].self, forKey: .params)
        text = try container.decodeIfPresent(String.self, forKey: .text)
        encoding = try container.decodeIfPresent(String.self, forKey: .encoding)
        comment = try container.decodeIfPresent(String.self, forKey: .comment)
        try HARBody.check(text, encoding, container.codingPath)
    }
}

public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// A body with its media type and content codings.
///
/// They are one value, so that a call's body replaces an agent's body together with its media type.
public struct RequestBody: Sendable {
    /// The bytes to send.
    public let content: HTTPBody
    /// Media type before content coding; nil if the header fields specify it.
    public let mediaType: MediaType?
    /// Content codings applied to the bytes, in order.
    public let codings: [ContentCoding]

    /// Creates a body.
    public init(_ content: HTTPBody, mediaType: MediaType? = nil, codings: [ContentCoding] = []) {
        self.content = content
        self.mediaType = mediaType
        self.codings = codings
    }

    /// No body; when merged, the body of the other side is used.
    public static let empty = RequestBody(.empty)

    /// Bytes in memory.
    public static func bytes(_ data: Data, mediaType: MediaType? = .octetStream) -> RequestBody {
        RequestBody(.bytes(data), mediaType: mediaType)
    }

    /// A string in UTF-8.
    public static func text(_ text: String, mediaType: MediaType? = .plainText) -> RequestBody {
        RequestBody(.text(text), mediaType: mediaType)
    }

    /// A file, streamed from disk while it is sent.
    /// - Throws: `HTTPMessageError` (`unreadableFile`).
    public static func file(
        at url: URL, mediaType: MediaType? = .octetStream
    ) throws(HTTPMessageError) -> RequestBody {
        RequestBody(try .file(at: url), mediaType: mediaType)
    }

    /// JSON with object members sorted by name.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) for infinity, NaN, and nesting beyond 100 levels.
    public static func json(_ value: JSONValue) throws(HTTPMessageError) -> RequestBody {
        do { return RequestBody(.bytes(try value.data()), mediaType: .json) } catch { throw HTTPMessageError(error) }
    }

    /// An `Encodable` value as JSON.
    /// - Parameter coding: strategies for dates, names and others; default with sorted keys.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) if the value cannot be encoded.
    public static func json<Value: Encodable>(
        encoding value: Value, coding: JSONCoding = JSONCoding { $0.format = .sortedKeys }
    ) throws(HTTPMessageError) -> RequestBody {
        try json(value) { try coding.encode(value) }
    }

    /// An `Encodable` value as JSON of Foundation's encoder.
    /// - Parameter encoder: not thread-safe, so do not share one between concurrent calls.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) if the value cannot be encoded.
    public static func json<Value: Encodable>(
        encoding value: Value, with encoder: JSONEncoder
    ) throws(HTTPMessageError) -> RequestBody {
        try json(value) { try encoder.encode(value) }
    }

    private static func json<Value>(
        _ value: Value, _ encode: () throws -> Data
    ) throws(HTTPMessageError) -> RequestBody {
        RequestBody(.bytes(try jsonData(of: value, encode)), mediaType: .json)
    }

    /// The JSON of a value, by a coder whose errors may quote the value.
    static func jsonData<Value>(
        of value: Value, _ encode: () throws -> Data
    ) throws(HTTPMessageError) -> Data {
        do {
            return try encode()
        } catch {
            // The encoder's error may quote the value, which may be secret; the coding path does not.
            var (path, reason) = ("", "")
            if case EncodingError.invalidValue(let value, let context) = error {
                if !context.codingPath.isEmpty {
                    path = " at " + context.codingPath.map(\.stringValue).joined(separator: ".")
                }
                if let number = value as? any FloatingPoint, !number.isFinite {
                    reason = ": it is infinity or NaN; replace the number"
                }
            }
            throw HTTPMessageError(.invalidJSON, "Cannot encode type \(Value.self) as JSON\(path)\(reason).")
        }
    }

    /// True if there is no body; false for a body of zero bytes.
    public var isEmpty: Bool { content.isEmpty }

    /// Returns `fields` with `Content-Type`, unless they have one, and `Content-Encoding` appended.
    /// - Throws: `HTTPMessageError` (`invalidFieldValue`) if the media type is not a valid field value.
    func addingContentFields(to fields: HTTPFields) throws(HTTPMessageError) -> HTTPFields {
        guard !isEmpty, mediaType != nil || !codings.isEmpty else { return fields }
        var fields = fields
        if let mediaType, !fields.contains(.contentType) { try fields.append(.contentType, mediaType.description) }
        for coding in codings { try fields.append(.contentEncoding, coding.name) }
        return fields
    }
}

extension RequestBody: RedactedStringConvertible {
    /// Kind, length and media type; never the bytes.
    public var description: String {
        ([content.description, mediaType?.essence] + codings.map(\.name)).compactMap(\.self).joined(separator: ", ")
    }
}

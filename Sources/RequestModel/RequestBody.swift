public import Foundation
public import HTTPMessages

/// A body with what a server must know to read it: the media type and the content codings.
///
/// They travel together, so that a call's body which takes the place of an agent's takes that one's media type away
/// as well.
public struct RequestBody: Sendable {
    /// The bytes to send.
    public let content: HTTPBody
    /// What the bytes are, before any coding; nil leaves it to the header fields.
    public let mediaType: MediaType?
    /// The codings that were applied to the bytes, in order.
    public let codings: [ContentCoding]

    /// A body, described.
    public init(_ content: HTTPBody, mediaType: MediaType? = nil, codings: [ContentCoding] = []) {
        self.content = content
        self.mediaType = mediaType
        self.codings = codings
    }

    /// No body, or none said: another one may take its place.
    public static let empty = RequestBody(.empty)

    /// Bytes in memory.
    public static func bytes(_ data: Data, mediaType: MediaType? = .octetStream) -> RequestBody {
        RequestBody(.bytes(data), mediaType: mediaType)
    }

    /// A text, as UTF-8.
    public static func text(_ text: String, mediaType: MediaType? = .plainText) -> RequestBody {
        RequestBody(.text(text), mediaType: mediaType)
    }

    /// A file, read while it is sent.
    /// - Throws: `HTTPMessageError` (`unreadableFile`).
    public static func file(
        at url: URL, mediaType: MediaType? = .octetStream
    ) throws(HTTPMessageError) -> RequestBody {
        RequestBody(try .file(at: url), mediaType: mediaType)
    }

    /// JSON, with the members of objects in the order of their names.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) when a number is infinite or not a number.
    public static func json(_ value: JSONValue) throws(HTTPMessageError) -> RequestBody {
        RequestBody(.bytes(try value.data()), mediaType: .json)
    }

    /// A value as JSON.
    /// - Parameter encoder: how dates, names and such are written; used by this call alone, so make a new one when
    ///   calls run at once. By default as `JSONEncoder` does it, with members in the order of their names.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) when the value cannot be written.
    public static func json<Value: Encodable>(
        encoding value: Value, with encoder: JSONEncoder? = nil
    ) throws(HTTPMessageError) -> RequestBody {
        let encoder = encoder ?? .sorted
        do {
            return RequestBody(.bytes(try encoder.encode(value)), mediaType: .json)
        } catch {
            // The error itself may quote the value; the path to it does not.
            var path = ""
            if case EncodingError.invalidValue(_, let context) = error, !context.codingPath.isEmpty {
                path = " at " + context.codingPath.map(\.stringValue).joined(separator: ".")
            }
            throw HTTPMessageError(.invalidJSON, "A value of type \(Value.self) cannot be written as JSON\(path).")
        }
    }

    /// True when there is no body at all; false for a body of no bytes.
    public var isEmpty: Bool { content.isEmpty }

    /// The fields of a message with this body: the media type where the fields name none, and the codings after
    /// those that the fields name.
    /// - Throws: `HTTPMessageError` when the media type holds a character that no field's value may have.
    func describe(in fields: HTTPFields) throws(HTTPMessageError) -> HTTPFields {
        guard !isEmpty, mediaType != nil || !codings.isEmpty else { return fields }
        var fields = fields
        if let mediaType, !fields.contains(.contentType) { try fields.append(.contentType, mediaType.description) }
        for coding in codings { try fields.append(.contentEncoding, coding.name) }
        return fields
    }
}

extension JSONEncoder {
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

extension RequestBody: CustomStringConvertible, CustomReflectable {
    /// The kind, the length and the media type; never the bytes.
    public var description: String {
        ([content.description, mediaType?.essence] + codings.map(\.name)).compactMap(\.self).joined(separator: ", ")
    }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

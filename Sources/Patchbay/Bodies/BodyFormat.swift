public import HTTPMessages

/// A format of response bodies, chosen by the media type of a response.
///
/// *Use* `client.formats.append(.propertyList)`. *Implement* it as a struct that stores its settings:
///
/// ```swift
/// struct YAMLFormat: BodyFormat {
///     let mediaTypes = [MediaType(parsing: "application/yaml")].compactMap(\.self)
///     func decode<Value: Decodable>(_ type: Value.Type, from response: HTTPResponse) throws -> Value { ... }
/// }
/// ```
public protocol BodyFormat: Sendable {
    /// The media types of the format, the preferred one first; the client asks for them by `Accept`.
    var mediaTypes: [MediaType] { get }

    /// Decodes the body of a response, on the actor of the call. May be called by several threads at once.
    /// - Throws: `ResponseDecodingError`, or another error of the implementation.
    func decode<Value: Decodable>(_ type: Value.Type, from response: HTTPResponse) throws -> Value
}

extension BodyFormat {
    /// True if the format decodes a media type; `application/problem+json` is one of JSON.
    func accepts(_ mediaType: MediaType) -> Bool {
        mediaTypes.contains { own in
            mediaType.matches(own) || mediaType.subtype.hasSuffix("+" + own.subtype)
        }
    }
}

public import Foundation

extension JSONCoding {
    /// Decodes one JSON value of UTF-8, UTF-16 or UTF-32 text (RFC 8259), in time linear to its length.
    ///
    /// - Throws: `DecodingError`, with the coding path and, as `underlyingError`, a ``JSONError`` with the location in
    ///   the text; other errors of the type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from data: Data) throws -> Value {
        try JSONTape(data, coding: self).decode(type)
    }

    /// Decodes one JSON value of a text.
    /// - Throws: as ``decode(_:from:)-(_,Data)``.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from text: String) throws -> Value {
        try decode(type, from: Data(text.utf8))
    }
}

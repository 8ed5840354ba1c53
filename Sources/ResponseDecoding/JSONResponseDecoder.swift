public import Foundation
public import HTTPMessages

/// Decoder of JSON into a `Decodable` type.
public struct JSONResponseDecoder<Value: Decodable & Sendable>: ResponseDecoder {
    private let decodeJSON: @Sendable (Data) throws -> Value

    /// Creates a decoder.
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - coding: strategies for dates, names and others.
    public init(_ type: Value.Type = Value.self, coding: JSONCoding = .standard) {
        decodeJSON = { try coding.decode(Value.self, from: $0) }
    }

    /// Creates a decoder that uses Foundation's.
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - decoder: do not change its settings afterwards.
    public init(_ type: Value.Type = Value.self, decoder: JSONDecoder) {
        decodeJSON = { try decoder.decode(Value.self, from: $0) }
    }

    /// Decodes the body: UTF-8, UTF-16, or another supported charset that the response names.
    /// - Throws: ``ResponseDecodingError`` (`emptyBody`, `invalidText`, `invalidJSON`, `unexpectedValue`).
    public func decode(_ response: HTTPResponse) throws(ResponseDecodingError) -> Value {
        try response.decodedJSON(decodeJSON)
    }
}

extension HTTPResponse {
    /// Decodes a JSON body by a closure, without the allocations of a decoder.
    /// - Throws: ``ResponseDecodingError``, as ``JSONResponseDecoder/decode(_:)``.
    package func decodedJSON<Value>(_ decode: (Data) throws -> Value) throws(ResponseDecodingError) -> Value {
        let json = try jsonText()
        do {
            return try decode(json)
        } catch {
            throw ResponseDecodingError(decoding: error, from: json, of: self)
        }
    }
}

extension ResponseDecoder {
    /// Decodes JSON into a `Decodable` type: `.json(Item.self)`.
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - coding: strategies for dates, names and others.
    public static func json<Value>(_ type: Value.Type, coding: JSONCoding = .standard) -> Self
    where Self == JSONResponseDecoder<Value> {
        JSONResponseDecoder(type, coding: coding)
    }

    /// Decodes JSON with Foundation's decoder. Do not change the settings of `decoder` afterwards.
    public static func json<Value>(_ type: Value.Type, decoder: JSONDecoder) -> Self
    where Self == JSONResponseDecoder<Value> {
        JSONResponseDecoder(type, decoder: decoder)
    }
}

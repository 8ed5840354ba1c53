public import Foundation
public import HTTPMessages

/// Decoder of JSON into a `Decodable` type. Like Foundation, it accepts a trailing comma.
public struct JSONResponseDecoder<Value: Decodable & Sendable>: ResponseDecoder {
    private let decoder: JSONDecoder

    /// Creates a decoder.
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - decoder: do not change its settings afterwards. Nil means Foundation's defaults.
    public init(_ type: Value.Type = Value.self, decoder: JSONDecoder? = nil) {
        self.decoder = decoder ?? StandardJSONDecoder.shared
    }

    /// Decodes the body: UTF-8, UTF-16, or another supported charset that the response names.
    /// - Throws: ``ResponseDecodingError`` (`emptyBody`, `invalidText`, `invalidJSON`, `unexpectedValue`).
    public func decode(_ response: HTTPResponse) throws(ResponseDecodingError) -> Value {
        let json = try JSONText.utf8(of: response)
        do {
            return try decoder.decode(Value.self, from: json)
        } catch {
            throw ResponseDecodingError(decoding: error, from: json, of: response)
        }
    }
}

/// Shared decoder with Foundation's defaults: creating one costs as much as decoding a small body.
private enum StandardJSONDecoder {
    static let shared = JSONDecoder()
}

extension ResponseDecoder {
    /// Decodes JSON into a `Decodable` type: `.json(Item.self)`.
    public static func json<Value>(_ type: Value.Type) -> Self where Self == JSONResponseDecoder<Value> {
        JSONResponseDecoder(type)
    }

    /// Decodes JSON into a `Decodable` type. Do not change the settings of `decoder` afterwards.
    public static func json<Value>(_ type: Value.Type, decoder: JSONDecoder) -> Self
    where Self == JSONResponseDecoder<Value> {
        JSONResponseDecoder(type, decoder: decoder)
    }
}

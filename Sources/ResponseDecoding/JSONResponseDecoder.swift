public import Foundation
public import HTTPMessages

/// Decodes JSON into a `Decodable` type, as strictly as Foundation does: a comma after the last element passes.
public struct JSONResponseDecoder<Value: Decodable & Sendable>: ResponseDecoder {
    private let decoder: JSONDecoder

    /// A decoder.
    /// - Parameters:
    ///   - type: what to make of the JSON.
    ///   - decoder: its settings; do not change them afterwards. Nil means Foundation's defaults.
    public init(_ type: Value.Type = Value.self, decoder: JSONDecoder? = nil) {
        self.decoder = decoder ?? StandardJSONDecoder.shared
    }

    /// The value in the body, which may be in UTF-8, or in UTF-16 or another known charset when the response says so.
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

/// The one decoder with Foundation's defaults: making one costs as much as decoding a small body.
private enum StandardJSONDecoder {
    static let shared = JSONDecoder()
}

extension ResponseDecoder {
    /// JSON of a `Decodable` type: `.json(Item.self)`.
    public static func json<Value>(_ type: Value.Type) -> Self where Self == JSONResponseDecoder<Value> {
        JSONResponseDecoder(type)
    }

    /// JSON of a `Decodable` type, read with a decoder's settings, which must not be changed afterwards.
    public static func json<Value>(_ type: Value.Type, decoder: JSONDecoder) -> Self
    where Self == JSONResponseDecoder<Value> {
        JSONResponseDecoder(type, decoder: decoder)
    }
}

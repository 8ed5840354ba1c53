public import Foundation
public import HTTPMessages
import RequestModel
import ResponseDecoding

/// How a client writes and reads JSON.
public struct JSONFormat: BodyFormat {
    /// `application/json`.
    public let mediaTypes: [MediaType] = [.json]
    private let decoder: JSONDecoder?
    private let encoder: JSONEncoder?

    /// Creates a format. Do not change the settings of the coders afterwards.
    /// - Parameters:
    ///   - decoder: nil means Foundation's defaults.
    ///   - encoder: nil means Foundation's defaults with sorted keys.
    public init(decoder: JSONDecoder? = nil, encoder: JSONEncoder? = nil) {
        self.decoder = decoder
        self.encoder = encoder
    }

    /// Decodes the body of a response.
    /// - Throws: `ResponseDecodingError` (`emptyBody`, `invalidText`, `invalidJSON`, `unexpectedValue`).
    public func decode<Value: Decodable & Sendable>(_ type: Value.Type, from response: HTTPResponse) throws -> Value {
        try JSONResponseDecoder(type, decoder: decoder).decode(response)
    }

    /// Encodes a value.
    /// - Throws: `HTTPMessageError` (`invalidJSON`).
    func body(of value: any Encodable) throws(HTTPMessageError) -> RequestBody {
        try .json(encoding: value, with: encoder)
    }
}

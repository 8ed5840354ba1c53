public import Foundation
public import HTTPMessages
public import JSON
import RequestModel
import ResponseDecoding

/// How a client writes and reads JSON: by ``/JSON/JSONCoding``, or by Foundation's coders.
///
/// ```swift
/// client.json = JSONFormat {
///     $0.keys = .snakeCase
///     $0.dates = .iso8601
/// }
/// ```
public struct JSONFormat: BodyFormat {
    private enum Coders: Sendable {
        case coding(JSONCoding)
        case foundation(JSONDecoder, JSONEncoder)
    }

    /// `application/json`.
    public let mediaTypes: [MediaType] = [.json]
    private let coders: Coders

    /// Creates a format.
    /// - Parameter coding: strategies for dates, names and others, in both directions.
    public init(_ coding: JSONCoding = .standard) { coders = .coding(coding) }

    /// Creates a format with changes of the standard settings.
    public init(_ configure: (inout JSONCoding) -> Void) { self.init(JSONCoding(configure)) }

    /// Creates a format that uses Foundation's coders. Do not change their settings afterwards.
    public init(decoder: JSONDecoder = JSONDecoder(), encoder: JSONEncoder = JSONEncoder()) {
        coders = .foundation(decoder, encoder)
    }

    /// Decodes the body of a response.
    /// - Throws: `ResponseDecodingError` (`emptyBody`, `invalidText`, `invalidJSON`, `unexpectedValue`).
    public func decode<Value: Decodable>(_ type: Value.Type, from response: HTTPResponse) throws -> Value {
        switch coders {
        case .coding(let coding): try response.decodedJSON { try coding.decode(type, from: $0) }
        case .foundation(let decoder, _): try response.decodedJSON { try decoder.decode(type, from: $0) }
        }
    }

    /// Encodes a value.
    /// - Throws: `HTTPMessageError` (`invalidJSON`).
    func body(of value: any Encodable) throws(HTTPMessageError) -> RequestBody {
        switch coders {
        case .coding(let coding): try .json(encoding: value, coding: coding)
        case .foundation(_, let encoder): try .json(encoding: value, with: encoder)
        }
    }

    /// Reads the lines of a body.
    func records<Value: Decodable & Sendable>(
        _ type: Value.Type, in body: HTTPBodyChunks
    ) -> ParsedSequence<HTTPBodyChunks, NDJSONParser<Value>> {
        switch coders {
        case .coding(let coding): body.ndjson(as: type, coding: coding)
        case .foundation(let decoder, _): body.ndjson(as: type, decoder: decoder)
        }
    }

    /// The settings for elements, which Foundation's decoder cannot read one by one; nil with Foundation's coders.
    var coding: JSONCoding? {
        if case .coding(let coding) = coders { coding } else { nil }
    }
}

public import HTTPMessages
public import ResponseDecoding

/// Decoder of an OData collection in Atom or JSON.
public struct ODataCollectionDecoder<Value: Decodable & Sendable>: ResponseDecoder {
    /// Creates a decoder.
    public init(_ type: Value.Type = Value.self) {}

    /// Accepts every status, because ``decode(_:)`` reports others than 2xx with the service's error.
    public var validation: ResponseValidation { .none }

    /// Decodes the collection.
    /// - Throws: ``ODataError``; the errors of the type's own `init(from:)`.
    public func decode(_ response: HTTPResponse) throws -> ODataCollection<Value> {
        try ODataError.rethrowing(response) { try ODataCollection(parsing: response.odataBody) }
    }
}

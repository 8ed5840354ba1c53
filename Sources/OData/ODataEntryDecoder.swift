public import HTTPMessages
public import ResponseDecoding

/// Decoder of an OData entry in Atom or JSON.
public struct ODataEntryDecoder<Value: Decodable & Sendable>: ResponseDecoder {
    /// Creates a decoder.
    public init(_ type: Value.Type = Value.self) {}

    /// Accepts every status, because ``decode(_:)`` reports others than 2xx with the service's error.
    public var validation: ResponseValidation { .none }

    /// Decodes the entry.
    /// - Throws: ``ODataError``; the errors of the type's own `init(from:)`.
    public func decode(_ response: HTTPResponse) throws -> ODataEntry<Value> {
        try ODataError.rethrowing(response) { try ODataEntry(parsing: response.odataBody) }
    }
}

extension ResponseDecoder {
    /// Decodes an OData entry: `response.decoded(as: .odataEntry(Flight.self))`.
    public static func odataEntry<Value>(_ type: Value.Type) -> Self where Self == ODataEntryDecoder<Value> {
        ODataEntryDecoder()
    }

    /// Decodes an OData collection: `response.decoded(as: .odataCollection(Flight.self))`.
    public static func odataCollection<Value>(_ type: Value.Type) -> Self where Self == ODataCollectionDecoder<Value> {
        ODataCollectionDecoder()
    }
}

extension ODataError {
    /// Runs a decoder on a response with status 2xx, and adds the response to its error.
    static func rethrowing<Value>(_ response: HTTPResponse, _ body: () throws -> Value) throws -> Value {
        guard response.status.isSuccessful else { throw ODataError(refused: response) }
        do {
            return try body()
        } catch let error as ODataError {
            throw error.naming(response).found(in: response)
        }
    }

    /// This error, if the whole document is another one than expected, with the response in its message.
    private func naming(_ response: HTTPResponse) -> ODataError {
        guard [.malformed, .unexpectedDocument, .limitExceeded].contains(code), element == nil else { return self }
        let type = response.mediaType?.essence
        let advice = type == "text/html" ? " The server sent a page, perhaps a login; check the session." : ""
        return ODataError(
            code,
            "\(response.head.requestDescription): \(response.status), \(type ?? "no content type"): \(message)\(advice)"
        )
    }
}

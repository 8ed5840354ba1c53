public import HTTPMessages

/// Decoder of any JSON.
public struct JSONValueResponseDecoder: ResponseDecoder {
    /// Creates a decoder.
    public init() {}

    /// Parses the body.
    /// - Throws: ``ResponseDecodingError`` (`emptyBody`, `invalidText`, `invalidJSON`).
    public func decode(_ response: HTTPResponse) throws(ResponseDecodingError) -> JSONValue {
        let json = try response.jsonText()
        do {
            return try JSONValue(parsing: json)
        } catch {
            throw ResponseDecodingError(error, in: response, underlying: error)
        }
    }
}

extension ResponseDecoder where Self == JSONValueResponseDecoder {
    /// Parses any JSON.
    public static var jsonValue: JSONValueResponseDecoder { JSONValueResponseDecoder() }
}

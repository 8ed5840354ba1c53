public import HTTPMessages

/// Reads any JSON.
public struct JSONValueResponseDecoder: ResponseDecoder {
    /// A decoder.
    public init() {}

    /// The JSON in the body.
    /// - Throws: ``ResponseDecodingError`` (`emptyBody`, `invalidText`, `invalidJSON`).
    public func decode(_ response: HTTPResponse) throws(ResponseDecodingError) -> JSONValue {
        let json = try JSONText.utf8(of: response)
        do {
            return try JSONValue(parsing: json)
        } catch {
            throw ResponseDecodingError(error, in: response, underlying: error)
        }
    }
}

extension ResponseDecoder where Self == JSONValueResponseDecoder {
    /// Any JSON.
    public static var jsonValue: JSONValueResponseDecoder { JSONValueResponseDecoder() }
}

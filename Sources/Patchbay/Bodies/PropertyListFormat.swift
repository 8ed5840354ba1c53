import Foundation
public import HTTPMessages
import ResponseDecoding

/// Property lists, in XML or binary.
public struct PropertyListFormat: BodyFormat {
    /// `application/x-plist`.
    public let mediaTypes: [MediaType] = [.propertyList]

    /// Decodes the body of a response.
    /// - Throws: `ResponseDecodingError` (`emptyBody`, `unexpectedValue`).
    public func decode<Value: Decodable>(_ type: Value.Type, from response: HTTPResponse) throws -> Value {
        guard !response.body.isEmpty else {
            throw ResponseDecodingError(.emptyBody, "Body is empty; expected a property list.", response: response)
        }
        do {
            return try PropertyListDecoder().decode(type, from: response.body)
        } catch {
            throw ResponseDecodingError(
                .unexpectedValue, "Body is not a property list of type \(type).", response: response,
                underlying: error)
        }
    }
}

extension BodyFormat where Self == PropertyListFormat {
    /// Property lists, in XML or binary.
    public static var propertyList: PropertyListFormat { PropertyListFormat() }
}

public import HTTPMessages
import ResponseDecoding

/// The response to an entry that is done, kept until it is acknowledged.
public struct OutboxResponse: Sendable, Identifiable {
    /// The identity of the entry.
    public let id: OutboxEntry.ID
    /// The key of the entry.
    public let key: String?
    /// The name of the entry.
    public let name: String
    /// The user of the entry.
    public let user: String?
    /// The response, without secret fields and without the redirects before it.
    public let response: HTTPResponse
    /// True if the body was longer than ``OutboxOptions/maximumResponseBytes``, and only its first bytes are kept.
    public let isTruncated: Bool
    /// Its position among the responses.
    let number: Int64

    /// The body, decoded from JSON.
    /// - Throws: `ResponseDecodingError`.
    public func decoded<Value: Decodable & Sendable>(as type: Value.Type) throws -> Value {
        try response.decoded(as: .json(type))
    }
}

public import PatchbayErrors

/// A user of a cache: responses are stored and used only within one partition.
///
/// ```swift
/// request.options.cachePartition = "user-17"
/// ```
///
/// Two partitions are the same if they were made of the same text. A cache stores a keyed hash of it, never the text.
public struct CachePartition: Hashable, Sendable, ExpressibleByStringLiteral, RedactedStringConvertible {
    /// The text, which may be a secret.
    package let text: String

    /// Creates a partition from what identifies the user: a name, an account number, or a credential.
    public init(_ text: String) { self.text = text }

    /// Creates a partition from what identifies the user.
    public init(stringLiteral text: String) { self.text = text }

    /// The partition of requests with a value of `Authorization`, which a cache uses where no other is set.
    package static func credential(_ authorization: String) -> CachePartition {
        CachePartition("Authorization: \(authorization)")
    }

    /// Nothing of the text.
    public var description: String { "a cache partition" }
}

private enum CachePartitionKey: RequestOptionKey { static let defaultValue: CachePartition? = nil }

extension RequestOptions {
    /// The user of a cached response.
    ///
    /// Default nil: a response to a request with `Authorization` is for requests with the same value only, any other is
    /// for all requests. A layer that adds credentials sets it where it can tell the user; the app may set it before.
    public var cachePartition: CachePartition? {
        get { self[CachePartitionKey.self] }
        set { self[CachePartitionKey.self] = newValue }
    }
}

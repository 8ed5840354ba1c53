public import PatchbayErrors

/// A user of a cache: responses are stored and used only within one partition.
///
/// ```swift
/// request.options.cachePartition = CachePartition(user.id)  // a literal needs no type: "user-17"
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
    ///
    /// That of a password holds for this process only.
    package static func credential(_ authorization: String) -> CachePartition {
        authorization.lowercased().hasPrefix("basic ")
            ? password(authorization) : CachePartition("Authorization: \(authorization)")
    }

    /// The partition of a password, in this process only: from a hash in a file, whose key is in it too, a password
    /// could be guessed.
    package static func password(_ text: String) -> CachePartition { CachePartition("\(process) \(text)") }

    private static let process = UInt64.random(in: .min ... .max)

    /// Nothing of the text.
    public var description: String { "a cache partition" }
}

private enum CachePartitionKey: RequestOptionKey { static let defaultValue: CachePartition? = nil }

extension RequestOptions {
    /// The user of a cached response.
    ///
    /// Default nil: a response to a request with `Authorization` is for requests with the same value only, any other is
    /// for all requests. A layer that adds credentials sets it where it can tell the user; the app may set it before,
    /// to `CachePartition(user.id)`.
    public var cachePartition: CachePartition? {
        get { self[CachePartitionKey.self] }
        set { self[CachePartitionKey.self] = newValue }
    }
}

extension HTTPRequest {
    /// This request, with its value of `Authorization` as the user unless one is set.
    ///
    /// For a download that resumes, which unlike a cache reads the option only.
    package func withUserOfAuthorization() -> HTTPRequest {
        guard options.cachePartition == nil, let credential = fields[.authorization] else { return self }
        var request = self
        request.options.cachePartition = .credential(credential)
        return request
    }
}

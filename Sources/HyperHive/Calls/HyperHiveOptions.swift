public import HTTPMessages
public import PatchbayErrors
public import SQLiteStore
public import StoreCore

/// Settings of a client.
public struct HyperHiveOptions: Sendable {
    /// Opens a store at a path, with an encryption key.
    public typealias StoreOpener = @Sendable (DatabasePath, EncryptionKey) throws -> any LocalStore

    /// Timeouts of each attempt; default 60 seconds for the response, and between two chunks.
    public var timeouts: Timeouts
    /// Maximum size in bytes of a response in memory; default 64 MiB. Loads into a database have no limit.
    public var maximumResponseBytes: Int
    /// Maximum size in bytes of a row that is loaded into a database; default 16 MiB. A row is in memory as a whole.
    public var maximumRowBytes = 16 << 20
    /// Maximum number of retries of each call; default 0.
    public var retryCount: Int
    /// Time before each retry; default none. The vendor's apps use 5 retries with 10 seconds.
    public var retryInterval: Duration
    /// True to send `If-None-Match` with the validator of the stored rows; default true.
    public var sendsEntityTags = true
    /// Absolute path of the app's documents folder, for relative database paths; nil for the user's, on tvOS
    /// the caches folder.
    public var documentsFolder: String?
    /// Opens a database; nil for a `SQLiteStore`, or a `MemoryStore` where SQLite is missing.
    ///
    /// Calls of the client for the same database wait for it, so it must not make such a call.
    public var openStore: StoreOpener?

    /// Creates settings.
    public init(
        timeouts: Timeouts = Timeouts(), maximumResponseBytes: Int = 64 << 20, retryCount: Int = 0,
        retryInterval: Duration = .zero, documentsFolder: String? = nil
    ) {
        self.timeouts = timeouts
        self.maximumResponseBytes = maximumResponseBytes
        self.retryCount = retryCount
        self.retryInterval = retryInterval
        self.documentsFolder = documentsFolder
    }
}

/// Settings of one call of a resource, besides its parameters.
public struct HyperHiveCallOptions: Hashable, Sendable {
    /// Additional header fields, which replace those of the client.
    public var headers: [String: String]
    /// Query parameters of the URL.
    public var query: [String: String]
    /// A UUID by which the server keeps the response for further requests; nil for none.
    public var transactionID: String?
    /// Maximum number of retries; nil for ``HyperHiveOptions/retryCount``.
    public var retryCount: Int?
    /// Time before each retry; nil for ``HyperHiveOptions/retryInterval``.
    public var retryInterval: Duration?

    /// Creates settings.
    public init(
        headers: [String: String] = [:], query: [String: String] = [:], transactionID: String? = nil,
        retryCount: Int? = nil, retryInterval: Duration? = nil
    ) {
        self.headers = headers
        self.query = query
        self.transactionID = transactionID
        self.retryCount = retryCount
        self.retryInterval = retryInterval
    }
}

extension HyperHiveCallOptions: RedactedStringConvertible {
    /// The names of fields and parameters, without their values.
    public var description: String {
        "fields: \(headers.keys.sorted().joined(separator: ", ")); "
            + "parameters: \(query.keys.sorted().joined(separator: ", "))"
    }
}

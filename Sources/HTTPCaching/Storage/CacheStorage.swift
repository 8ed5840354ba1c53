import HTTPMessages

/// Where a cache keeps its responses: ``MemoryStorage``, or ``TableStorage`` in a local store.
///
/// Every method may be called on any thread. An error means that the cache has nothing, or stores nothing.
protocol CacheStorage: Sendable {
    /// False until ``open(atMost:)`` has succeeded.
    var isOpen: Bool { get }

    /// Does what may block at the first use, without blocking the caller's thread.
    /// - Parameter limit: the longest wait, which also ends when the task is cancelled; nil waits in any case.
    /// - Throws: the error of the store, or `busy` after the limit; `CancellationError`.
    func open(atMost limit: Duration?) async throws

    /// The hash of secrets, whose key the storage keeps as long as its responses.
    func keyedHash() throws -> KeyedHash

    /// The key of a URL in the storage.
    func key(of url: String) throws -> String

    /// The newest stored response that a request selects; see ``StoredResponse/recency(at:)``.
    func find(_ lookup: CacheLookup, at now: Double) throws -> CacheFinding

    /// Up to 100 responses for the URL and the user of a request, of any fields.
    func variants(_ lookup: CacheLookup) throws -> [CacheEntry]

    /// What a response needs to be stored: it is refused after a later removal of its URL.
    func ticket(for lookup: CacheLookup) throws -> Int64

    /// Stores a response, which replaces one with the same key, and evicts what exceeds the limits.
    /// - Returns: whether it is stored; false if it was refused.
    func insert(_ response: StoredResponse, _ lookup: CacheLookup, ticket: Int64) async throws -> Bool

    /// Replaces a stored response by one with the same body.
    /// - Returns: the stored one; nil if the old one was removed or replaced meanwhile.
    func replace(_ old: CacheEntry, with new: StoredResponse, _ lookup: CacheLookup) async throws -> StoredResponse?

    /// Moves a stored response to another variant, as which it is selected from now on.
    /// - Parameter new: has the same body.
    /// - Returns: false if it was removed or replaced meanwhile, or is refused there; then it is removed.
    func move(_ old: CacheEntry, to new: StoredResponse, _ lookup: CacheLookup, ticket: Int64) async throws -> Bool

    /// Removes a stored response, unless it was replaced meanwhile.
    func remove(_ entry: CacheEntry) async throws

    /// Removes the responses of URLs at once, for all users.
    /// - Parameter ticket: that of a response which is to be stored afterwards; by default of none.
    /// - Returns: the ticket that it has then; nil if another removal of these URLs came before.
    @discardableResult
    func removeAll(urls: Set<String>, since ticket: Int64) async throws -> Int64?

    /// Removes the responses of a user, or all.
    /// - Parameter partition: ``CacheLookup/partition``; nil for all.
    func removeAll(partition: String?) async throws

    /// The number and size of the stored responses, and the number of evicted ones.
    var usage: CacheUsage { get throws }

    /// The number of failed writes that no call has waited for.
    var writeFailures: Int { get }

    /// The failure of such a write, once.
    func takeFailure() -> (any Error)?

    /// A place for a body that arrives in pieces and is too large for memory; nil if there is none.
    func makeBodyFile() throws -> BodyFile?
}

extension CacheStorage {
    var isOpen: Bool { true }

    func open(atMost limit: Duration?) async throws {}

    func key(of url: String) throws -> String { url }

    func move(_ old: CacheEntry, to new: StoredResponse, _ lookup: CacheLookup, ticket: Int64) async throws -> Bool {
        try await remove(old)
        return try await insert(new, lookup, ticket: ticket)
    }

    @discardableResult
    func removeAll(url: String) async throws -> Int64? { try await removeAll(urls: [url], since: 0) }
}

/// What a request selects stored responses by.
struct CacheLookup: Sendable {
    /// The URL without its fragment.
    let url: String
    /// The key of the URL, as ``CacheStorage/key(of:)`` returns it.
    let key: String
    /// The hashed user; empty for none.
    let partition: String
    /// The user, the hashed origins that led to the request, the hashed page, and the hashed content of a `QUERY`.
    let prefix: String
    /// The fields of the request, for `Vary`.
    let fields: HTTPFields
    /// Those of a credential, which are secret regardless of their names.
    let credentialFields: Set<HTTPFieldName>
}

/// A stored response with its address.
struct CacheEntry: Sendable {
    let url: String
    /// The key among the variants of the URL.
    let variant: String
    let response: StoredResponse
}

/// The result of a look-up.
struct CacheFinding: Sendable {
    var entry: CacheEntry?
    /// True if responses are stored for the URL and the ``CacheLookup/prefix``.
    var isKnown = false
    /// That of ``CacheStorage/ticket(for:)``, if the look-up has read it too.
    var ticket: Int64?
}

/// The size of a cache.
struct CacheUsage: Hashable, Sendable {
    var entries = 0
    var bytes = 0
    /// The number of responses that this cache has evicted.
    var evicted = 0
}

/// An error of a storage, besides those of the store and of files.
enum CacheStorageError: Error {
    /// A file with a body is missing, or has another length.
    case damagedBody
    /// A stored row cannot be read.
    case damagedRow
    /// A body exceeds the limit while it is received.
    case tooLarge
}

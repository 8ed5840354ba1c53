public import Foundation
import HTTPCaching
public import HTTPMessages
public import PatchbayErrors
import Synchronization
import SystemLibraries

/// A cache of responses to GET: in memory for the session, or in files.
///
/// ```swift
/// request.downloadCache = SDMDownloadCache.instance()
/// request.cachePolicy = .useCacheIfLoadFails
/// request.cacheStoragePolicy = .permanent
/// ```
///
/// A response is kept if its status is 200 and `Cache-Control` allows it, without its cookies. The key is its own URL,
/// also after redirects; `Vary` is respected. A successful POST, PUT, DELETE or other unsafe request of the session
/// removes the response of its URL, also if it uses no cache itself; one that was requested before is not kept.
/// Thread-safe.
///
/// A response belongs to the user of its request: by credentials of the app, of the session or of a delegate, or by
/// cookies, one of which may be a login. It is used for no other user, nor without one. The response to a login, which
/// sets a cookie that its request did not have, is not kept. `SDMSession.clear()` removes the responses of users.
///
/// Unlike the vendor's, it belongs to a session and not to the process.
public final class SDMDownloadCache: DownloadCaching {
    private struct State: Sendable {
        var responses: SessionResponses
        var rules = CacheRules()
        var policy = SDMCachePolicy.reloadIfDifferent
        var lastError: (any Error)?
    }

    /// The folder of permanent responses.
    public let storagePath: URL
    private let files: PermanentResponses
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// Creates a cache.
    /// - Parameters:
    ///   - storagePath: the folder of permanent responses, created at the first one; default a folder named after the
    ///     app in the system's caches folder. Caches of the same folder share these responses.
    ///   - memoryLimit: maximum size of the session's response bodies in bytes, default 16 MiB. A larger response is
    ///     not kept.
    ///   - fileLimit: maximum size of the files of permanent responses in bytes, default 256 MiB, of at most 5000
    ///     files. Beyond it, expired responses are removed before others, and of these the oldest first.
    ///   - staleLifetime: seconds for which an expired permanent response is kept, for use without a network; default
    ///     30 days.
    ///   - now: returns the current time, for expiration.
    public init(
        storagePath: URL? = nil, memoryLimit: Int = 16 << 20, fileLimit: Int = 256 << 20,
        staleLifetime: TimeInterval = 30 * 86_400, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.storagePath = storagePath ?? Self.defaultStoragePath
        self.now = now
        let limits = PermanentResponses.Limits(bytes: fileLimit, staleLifetime: staleLifetime)
        files = PermanentResponses(folder: self.storagePath, limits: limits)
        state = Mutex(State(responses: SessionResponses(limit: memoryLimit)))
    }

    private static var defaultStoragePath: URL {
        let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return (UserFolder.caches.url ?? FileManager.default.temporaryDirectory)
            .appending(components: app, "SDMDownloadCache")
    }

    /// The policy of requests with ``SDMCachePolicy/default``; default `reloadIfDifferent`, which `default` also means.
    public var defaultCachePolicy: SDMCachePolicy {
        get { state.withLock(\.policy) }
        set { state.withLock { $0.policy = newValue == .default ? .reloadIfDifferent : newValue } }
    }

    /// Whether `Cache-Control` and `Expires` of responses are respected; default true.
    public var shouldRespectCacheControlHeaders: Bool {
        get { state.withLock(\.rules.respectsCacheControl) }
        set { state.withLock { $0.rules.respectsCacheControl = newValue } }
    }

    /// The last error of the file system, which never fails a request; nil if there was none.
    public var lastError: (any Error)? { state.withLock(\.lastError) }

    // MARK: Requests

    /// Decides by policy, freshness and validators.
    public func decision(for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> CacheDecision {
        guard CacheRules.isCacheable(request), policy(options) != .ignore, let cached = cached(request.url.cacheKey)
        else {
            return .load
        }
        switch CacheRules.action(policy(options), cached.entry(for: request, user: options.user, at: now())) {
        case .load:
            return .load
        case .use:
            return cached.response.map { .use($0) } ?? .load
        case .revalidate:
            return cached.validating(request).map { .revalidate($0) } ?? .load
        }
    }

    /// Updates the cached response by a 304, or removes it if it may not be stored any more.
    public func confirmed(
        by head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions
    ) -> HTTPResponse? {
        let now = now()
        guard head.status == .notModified, var cached = cached(request.url.cacheKey),
            cached.entry(for: request, user: options.user, at: now) != .missing,
            cached.isConfirmed(by: head, to: request)
        else { return nil }
        cached.update(by: head, stored: now)
        guard let response = cached.response else { return nil }
        let rules = state.withLock(\.rules)
        cached.metadata.expires = rules.expiration(
            of: response.head, secondsToCache: options.secondsToCache, receivedAt: now)
        if rules.forbidsStoring(response.head) {
            remove(request.url.cacheKey)
        } else {
            insert(cached, options.storage, at: now)
        }
        return response
    }

    /// Accepts a complete 200 that `Cache-Control` allows to store.
    public func accepts(
        _ head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions
    ) -> Bool {
        policy(options) != .ignore && state.withLock(\.rules).isStorable(head, for: request)
    }

    /// Keeps a response, which replaces that of the URL in both storages.
    public func store(_ response: HTTPResponse, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) {
        guard accepts(response.head, for: request, options: options) else { return }
        let rules = state.withLock(\.rules)
        let now = now()
        let expires = rules.expiration(of: response.head, secondsToCache: options.secondsToCache, receivedAt: now)
        insert(
            CachedResponse(response, for: request, stored: now, expires: expires, user: options.user), options.storage,
            at: now)
    }

    /// The cached response, also a stale one, with the policy `useCacheIfLoadFails`.
    public func fallback(for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> HTTPResponse? {
        guard policy(options) == .useCacheIfLoadFails, CacheRules.isCacheable(request),
            let cached = cached(request.url.cacheKey),
            cached.entry(for: request, user: options.user, at: now()) != .missing
        else { return nil }
        return cached.response
    }

    // MARK: Content

    /// The cached response of a URL, also a stale one; nil if there is none.
    public func cachedResponse(for url: URL) -> HTTPResponse? {
        url.normalizedCacheKey.flatMap { cached($0)?.response }
    }

    /// Removes the response of a URL from both storages.
    public func removeCachedData(for url: URL) {
        if let key = url.normalizedCacheKey { remove(key) }
    }

    private func remove(_ key: String) {
        state.withLock { $0.responses.remove(key) }
        record { try files.remove(key) }
    }

    /// Removes the responses of one storage.
    public func clearCachedResponses(for storage: SDMCacheStoragePolicy) {
        switch storage {
        case .session: state.withLock { $0.responses.removeAll() }
        case .permanent: record { try files.removeAll() }
        }
    }

    /// Removes the responses of the session, and those in files that belong to a user.
    public func clearResponsesOfUsers() {
        state.withLock { $0.responses.removeAll() }
        record { try files.removeAll { $0.user != nil } }
    }

    private func policy(_ options: SDMCacheOptions) -> SDMCachePolicy {
        options.policy == .default ? defaultCachePolicy : options.policy
    }

    private func cached(_ key: String) -> CachedResponse? {
        if let response = state.withLock({ $0.responses.response(for: key) }) { return response }
        return record { try files.response(for: key) } ?? nil
    }

    private func insert(_ response: CachedResponse, _ storage: SDMCacheStoragePolicy, at now: Date) {
        switch response.hasSecretURL ? .session : storage {
        case .session:
            state.withLock { $0.responses.insert(response) }
            record { try files.remove(response.metadata.key) }
        case .permanent:
            state.withLock { $0.responses.remove(response.metadata.key) }
            record { try files.insert(response, at: now) }
        }
    }

    /// Runs file access without the lock, and records its error.
    @discardableResult
    private func record<Value>(_ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            state.withLock { $0.lastError = error }
            return nil
        }
    }
}

extension SDMDownloadCache: RedactedStringConvertible {
    /// The folder and the size of the session's responses.
    public var description: String {
        "download cache in \(storagePath.path), \(state.withLock(\.responses.byteCount)) bytes in memory"
    }
}

import Coordination
import Foundation
import HTTPMessages
import StoreCore
import Synchronization
import Transport

/// The storing of one response, once its body is there.
struct ResponseStoring: Sendable {
    let cache: HTTPCache
    let lookup: CacheLookup
    let ticket: Int64
    /// The head as the server sent it.
    let head: HTTPResponseHead
    /// What is stored, without its body.
    let template: StoredResponse
    /// The stored response of which this one is a further part; nil for none.
    let partial: StoredResponse?
    /// The stored response that this one shows to be outdated: it is removed if this one is not stored.
    let outdated: CacheEntry?

    /// The largest body that is stored.
    var limit: Int { cache.limits.bodyBytes }

    /// True if the body will be stored, as far as its head tells.
    var isPromising: Bool {
        guard let length = head.fields[.contentLength].flatMap({ Int($0) }) else { return true }
        return length <= limit
    }

    /// Stores the response.
    /// - Parameter report: is told what failed.
    /// - Returns: what is stored; nil if nothing is.
    func store(_ body: StoredBody, report: (CacheEvent) -> Void) async -> StoredResponse? {
        let stored = await insert(body, report: report)
        if stored == nil { await cache.removeOutdated(outdated) }
        return stored
    }

    private func insert(_ body: StoredBody, report: (CacheEvent) -> Void) async -> StoredResponse? {
        guard let complete = response(with: body) else {
            body.deleteFile()
            return nil
        }
        do {
            guard try await cache.storage.insert(complete, lookup, ticket: ticket) else { return nil }
            cache.count { $0.stored += 1 }
            return complete
        } catch {
            body.deleteFile()
            report(cache.failed(error))
            return nil
        }
    }

    /// The response with its body, which is joined to the stored part; nil if it may not be stored.
    private func response(with body: StoredBody) -> StoredResponse? {
        guard body.byteCount <= limit, Storability.isWhole(head, byteCount: body.byteCount) else { return nil }
        guard head.status == .partialContent else { return template.with(body: body) }
        guard let content = head.contentRange, let range = content.range, case .memory(let data) = body.bytes else {
            return nil
        }
        if let partial {
            guard let joined = partial.body.adding(data, at: range, length: content.length),
                joined.byteCount <= limit
            else { return nil }
            return template.with(joined, rules: cache.rules)
        }
        let isAll = range.lowerBound == 0 && content.length.map { $0 == range.upperBound } ?? false
        let stored = isAll ? StoredBody(data) : StoredBody(data, parts: [range], length: content.length)
        return template.with(stored, rules: cache.rules)
    }
}

extension StoredResponse {
    /// The response with a body in parts; one with all bytes has status 200, and no range.
    fileprivate func with(_ body: StoredBody, rules: CacheRules) -> StoredResponse {
        var fields = fields
        fields.remove(.contentRange)
        fields.remove(.contentLength)
        // That of one part.
        fields["Content-Digest"] = nil
        guard body.isComplete else { return with(status: .partialContent, fields, body, rules: rules) }
        fields[.contentLength] = String(body.byteCount)
        return with(status: .ok, fields, body, rules: rules)
    }
}

extension HTTPCache {
    /// Counts a failure of the storage.
    func failed(_ error: any Error) -> CacheEvent {
        count { $0.failures += 1 }
        return CacheEvent(error)
    }

    /// Removes a stored response, if there is one, that is damaged, or that another one shows to be outdated.
    func removeOutdated(_ entry: CacheEntry?) async {
        guard let entry else { return }
        do {
            _ = try await inTime { [self] in
                try await storage.remove(entry)
                return true
            }
        } catch {
            _ = failed(error)
        }
    }

    /// Runs a change of the storage, and waits for it at most a second.
    ///
    /// Nor longer than the call is wanted: a store may be busy, and the response is there.
    /// - Returns: its result; false if it takes longer.
    func inTime(_ change: @escaping @Sendable () async throws -> Bool) async throws -> Bool {
        let outcome = Promise<Result<Bool, any Error>>()
        changes.withLock { changes in
            changes.lastID += 1
            changes.tasks[changes.lastID] = Task(executorPreference: WorkerThreads.calls) {
                [self, id = changes.lastID] in
                do {
                    outcome.fulfill(.success(try await change()))
                } catch {
                    outcome.fulfill(.failure(error))
                }
                self.changes.withLock { $0.tasks[id] = nil }
            }
        }
        let clock = AnyMonotonicClock.continuous
        let timer = clock.schedule(at: clock.now + .seconds(1)) { outcome.fulfill(.success(false)) }
        defer { timer.cancel() }
        return try await outcome.success { outcome.fulfill(.success(false)) }
    }
}

extension CacheEvent {
    /// The event of a failed storage.
    init(_ error: any Error) {
        // The messages of a store have no values.
        switch error {
        case let error as StoreError: self = .storageFailed(error.description)
        case let error as POSIXError: self = .storageFailed("file error \(error.code.rawValue)")
        default: self = .storageFailed("\(error)")
        }
    }
}

import DeltaSync
import Foundation
import HTTPMessages
import StoreCore

/// Arguments of a load into a database.
struct Load: Hashable, Sendable {
    let resource: String
    let parameters: String
    let database: String
    /// True to request changes, where the resource has versions.
    let isDelta: Bool
    /// False to request all rows, regardless of the stored ones.
    let usesStoredVersion: Bool

    init(_ resource: String, _ parameters: String, _ database: String, isDelta: Bool, usesStoredVersion: Bool) {
        self.resource = resource
        self.parameters = parameters
        self.database = database
        self.isDelta = isDelta
        self.usesStoredVersion = usesStoredVersion
    }
}

/// Response with the status 304.
enum NotModified: Error {
    /// The stored rows, of this version, are current.
    case current(version: Int)
    /// The request had no validator of stored rows, so the response says nothing about them.
    case unconditional
}

/// The resource has other tables or columns in the server's schema than in the known one.
private struct SchemaChange: Error {
    let resource: HyperHiveResource
}

extension Call {
    /// Identity of the rows of this server, project and user.
    var binding: DeltaBinding {
        let host = (try? HostURL(configuration.host).text) ?? configuration.host
        let application = configuration.application.isEmpty ? "" : "/\(configuration.application)"
        return DeltaBinding(
            server: host, environment: configuration.environment, project: configuration.project + application,
            resource: "", user: session.login)
    }

    /// Requests a resource and loads the response.
    ///
    /// If the response does not fit the known schema, or the server has no changes since the stored version, and the
    /// server's schema has changed, requests the resource again.
    func load(
        _ load: Load, into database: HyperHiveDatabase, _ progress: HyperHiveProgressFeed?
    ) async throws -> LoadOutcome {
        // Rows are positional. The known schema may be older than those that a load of all rows gets.
        let resource = try await resource(load.resource, isCurrent: !load.usesStoredVersion)
        do {
            return try await self.load(load, of: resource, options.transactionID, into: database, progress) {
                await changed(resource)
            }
        } catch let change as SchemaChange {
            // With the ID the server would return the response to the first request.
            return try await self.load(load, of: change.resource, nil, into: database, progress) { nil }
        } catch let error as DeltaError where error.isMisfit {
            guard let current = await changed(resource) else { throw error }
            return try await self.load(load, of: current, nil, into: database, progress) { nil }
        }
    }

    /// - Parameter changedResource: returns the resource if it has changed in the server's schema; called before a load
    ///   of all rows that follows a gap.
    private func load(
        _ load: Load, of resource: HyperHiveResource, _ transactionID: String?, into database: HyperHiveDatabase,
        _ progress: HyperHiveProgressFeed?, changedResource: @escaping @Sendable () async -> HyperHiveResource?
    ) async throws -> LoadOutcome {
        let body = try RequestParameters.body(load.parameters, for: resource)
        let target = try ResourceTarget(resource, parameters: load.parameters, binding: binding)
        // The request depends on the stored rows, so no other call may change them until its response is loaded.
        return try await database.loader.locks.withLock(target.tableNames) {
            var request = ResourceRequest(
                load.resource, body: body, transactionID: transactionID, headers: options.headers, query: options.query)
            let stored = try database.loader.storedVersion(of: target)
            if load.isDelta, target.hasVersions {
                request.deltaBase = load.usesStoredVersion ? stored?.number ?? 0 : 0
            }
            // The rows of a delta and of a full response have validators of their own.
            if load.usesStoredVersion, settings.sendsEntityTags, load.isDelta || !target.hasVersions {
                request.etag = stored?.etag
            }
            do {
                return try await send(request, stored, into: database, target, progress)
            } catch let error where (request.deltaBase ?? 0) > 0 && isGap(error) {
                // The server may have lost its versions because the resource has other columns now.
                if let current = await changedResource() { throw SchemaChange(resource: current) }
                request.deltaBase = 0
                request.etag = nil
                // With the ID the server would return the response to the first request.
                request.transactionID = nil
                let stored = try database.loader.storedVersion(of: target)
                return try await send(request, stored, into: database, target, progress)
            }
        }
    }

    /// Statuses of a delta by which a server may refuse the stored version, or what was requested with it.
    private static let gapStatuses: Set<Int> = [400, 404, 409, 410, 412, 416, 422]

    /// True when a full load is needed.
    ///
    /// The delta has another base version, the server refuses the stored version, or it responds with 304 to a request
    /// without a validator.
    private func isGap(_ error: any Error) -> Bool {
        switch error {
        case let error as DeltaError: error.code == .gap
        case let error as UnexpectedStatus: Self.gapStatuses.contains(error.response.status.code)
        case NotModified.unconditional: true
        default: false
        }
    }

    /// - Parameter stored: the stored version at the time of the request.
    /// - Throws: `CancellationError` when another user has signed in, whose rows the response must not replace.
    private func send(
        _ request: ResourceRequest, _ stored: StoredVersion?, into database: HyperHiveDatabase,
        _ target: ResourceTarget, _ progress: HyperHiveProgressFeed?
    ) async throws -> LoadOutcome {
        guard !client.session.isReplaced(since: session) else { throw CancellationError() }
        let response: HTTPResponseStream
        do {
            response = try await stream(
                client.wire.resourceRequest(request, token: session.token, configuration),
                transactionID: request.transactionID)
        } catch let error as UnexpectedStatus where error.response.status == .notModified {
            // The app may have sent a validator of its own.
            guard log.exchange.isConditional, stored != nil else {
                log.exchange.isConditional = false
                throw NotModified.unconditional
            }
            guard try database.loader.storedVersion(of: target) == stored else {
                throw DeltaError(.busy, "Tables were changed by another process; load them again.")
            }
            throw NotModified.current(version: stored?.number ?? 0)
        }
        guard !client.session.isReplaced(since: session) else { throw CancellationError() }
        return try await database.loader.load(
            response.body, content: response.fields["Content-Version"].flatMap { ContentVersion($0) },
            etag: response.fields["ETag"], into: target, requestedAt: stored,
            maximumRowLength: settings.maximumRowBytes,
            isObsolete: { [client, session] in client.session.isReplaced(since: session) }
        ) { [log] value in
            log.record(received: value.bytes)
            progress?.report(HyperHiveProgress(bytes: value.bytes, rows: value.rows))
        }
    }
}

extension DeltaError {
    /// True for a response that has other tables or columns than the schema.
    fileprivate var isMisfit: Bool { [.unknownTable, .unknownColumn, .missingKey, .malformed].contains(code) }
}

import Coordination
import DeltaSync
import Foundation
import HTTPMessages
import StoreCore

/// One load of a resource into a database, from the app's call to the stored rows.
///
/// ```
/// run              opens the database, makes the result
///   attempt        repeated by the retry rules: loads by the known schema, and once more by a changed one
///     lockAndLoad  holds the tables: requests from the stored version on, and once more all rows after a gap
///       exchange   requests, and writes the response
/// ```
///
/// Four exclusions protect the rows. Each is against others:
///
/// - ``DeltaApplier/locks``: calls of this client for the same tables. They wait, from before the request to the end,
///   since a request depends on the stored version. A call that would wait for itself is `busy`.
/// - The owner in the version table, and the version of the request: other processes, and other clients with the same
///   file. They share no locks, so the one whose rows were overtaken fails.
/// - The store's writer lock: other transactions, for one batch or one delta, never for a wait for the network.
/// - `ProtectedTables`: an app's `DeltaSource` that writes to its own tables. The source of a load does not; it is part
///   of `DeltaApplier`.
struct Load: Sendable {
    /// What the app calls.
    struct Arguments: Hashable, Sendable {
        /// The vendor's name of the call.
        let type: String
        let resource: String
        var parameters = ""
        /// The path of the database.
        let database: String
        /// True to request changes, where the resource has versions.
        let isDelta: Bool
        /// False to request all rows, regardless of the stored ones.
        var usesStoredVersion = true
        var options = HyperHiveCallOptions()
    }

    /// The resource has other tables or columns in the server's schema than in the known one.
    private struct SchemaChange: Error {
        let resource: HyperHiveResource
    }

    private let arguments: Arguments
    private let call: Call
    private let database: HyperHiveDatabase
    private let progress: HyperHiveProgressFeed?

    // MARK: run

    /// Loads a resource.
    /// - Parameter begun: use of the database that has begun; nil to begin one here.
    static func run(
        _ arguments: Arguments, _ client: HyperHive, as session: ClientSession.Snapshot,
        _ progress: HyperHiveProgressFeed? = nil, using begun: DatabaseUse? = nil
    ) async throws(HyperHiveError) -> HyperHiveSync {
        defer {
            begun?.end()
            progress?.finish()
        }
        let log = CallLog(arguments.type, isRead: true)
        log.echo { $0.resource = arguments.resource }
        let call = try Call(client, log, arguments.options, as: session)
        do {
            // Other calls may wait for this one while they block all threads of the cooperative pool.
            return try await BlockingWork.run {
                let use = try begun ?? client.databases.use(arguments.database)
                let load = Load(arguments: arguments, call: call, database: use.database, progress: progress)
                let path = use.database.path.description
                log.echo { $0.destination = path }
                let changes = try await use.run { try await call.retrying { try await load.attempt() } }
                var result = log.result(.ok)
                result.database = .init(name: path, updated: changes.upserts + changes.deletes)
                return HyperHiveSync(
                    isNotModified: false, version: changes.version, upserts: changes.upserts, deletes: changes.deletes,
                    result: result)
            }
        } catch {
            guard call.isObsolete else { throw log.error(error) }
            // A response, such as a 304, says nothing about the rows of the present user.
            log.exchange.response = nil
            throw log.error(CancellationError())
        }
    }

    // MARK: attempt

    /// Loads by the known schema; by the server's, if that has changed.
    ///
    /// It is asked for when the response does not fit the known schema, or there are no changes since the stored
    /// version.
    private func attempt() async throws -> TableChanges {
        // Rows are positional. The known schema may be older than those that a load of all rows gets.
        let resource = try await call.resource(arguments.resource, isCurrent: !arguments.usesStoredVersion)
        do {
            return try await lockAndLoad(resource, transactionID: arguments.options.transactionID) {
                await call.changed(resource)
            }
        } catch let change as SchemaChange {
            // With the ID the server would return the response to the first request.
            return try await lockAndLoad(change.resource, transactionID: nil) { nil }
        } catch let error as DeltaError where error.isMisfit {
            guard let current = await call.changed(resource) else { throw error }
            return try await lockAndLoad(current, transactionID: nil) { nil }
        }
    }

    // MARK: lockAndLoad

    /// - Parameter changedResource: returns the resource if it has changed in the server's schema; called before a
    ///   request of all rows that follows a gap.
    private func lockAndLoad(
        _ resource: HyperHiveResource, transactionID: String?, changedResource: () async -> HyperHiveResource?
    ) async throws -> TableChanges {
        let body = try RequestParameters.body(arguments.parameters, for: resource)
        let target = try ResourceTarget(resource, parameters: arguments.parameters, binding: call.binding)
        return try await database.writer.withTables(target.tableNames) {
            var request = ResourceRequest(
                arguments.resource, body: body, transactionID: transactionID, headers: arguments.options.headers,
                query: arguments.options.query)
            let stored = try database.writer.storedVersion(of: target)
            if arguments.isDelta, target.hasVersions {
                request.deltaBase = arguments.usesStoredVersion ? stored?.number ?? 0 : 0
            }
            // The rows of a delta and of a full response have validators of their own.
            if arguments.usesStoredVersion, call.settings.sendsEntityTags, arguments.isDelta || !target.hasVersions {
                request.etag = stored?.etag
            }
            do {
                return try await exchange(request, stored, target)
            } catch let error where (request.deltaBase ?? 0) > 0 && Self.isGap(error) {
                // The server may have lost its versions because the resource has other columns now.
                if let current = await changedResource() { throw SchemaChange(resource: current) }
                request.deltaBase = 0
                request.etag = nil
                // With the ID the server would return the response to the first request.
                request.transactionID = nil
                return try await exchange(request, database.writer.storedVersion(of: target), target)
            }
        }
    }

    /// Statuses of a delta by which a server may refuse the stored version, or what was requested with it.
    private static let gapStatuses: Set<Int> = [400, 404, 409, 410, 412, 416, 422]

    /// True when all rows are needed.
    ///
    /// The delta has another base version, the server refuses the stored version, or it responds with 304 to a request
    /// without a validator.
    private static func isGap(_ error: any Error) -> Bool {
        switch error {
        case let error as DeltaError: error.code == .gap
        case let error as UnexpectedStatus: gapStatuses.contains(error.response.status.code)
        case NotModified.unconditional: true
        default: false
        }
    }

    // MARK: exchange

    /// - Parameter stored: the stored version at the time of the request.
    /// - Throws: `CancellationError` when another user has signed in, whose rows the response must not replace.
    private func exchange(
        _ request: ResourceRequest, _ stored: StoredVersion?, _ target: ResourceTarget
    ) async throws -> TableChanges {
        guard !call.isObsolete else { throw CancellationError() }
        let response = try await self.response(to: request, stored, target)
        guard !call.isObsolete else { throw CancellationError() }
        return try await database.writer.write(
            response.body, content: response.fields["Content-Version"].flatMap { ContentVersion($0) },
            etag: response.fields["ETag"], into: target, requestedAt: stored,
            maximumRowLength: call.settings.maximumRowBytes, isObsolete: { [call] in call.isObsolete }
        ) { [log = call.log, progress] value in
            log.record(received: value.bytes)
            progress?.report(value)
        }
    }

    /// - Throws: ``NotModified`` for a 304.
    private func response(
        to request: ResourceRequest, _ stored: StoredVersion?, _ target: ResourceTarget
    ) async throws -> HTTPResponseStream {
        do {
            return try await call.stream(
                call.client.wire.resourceRequest(request, token: call.token, call.configuration),
                transactionID: request.transactionID)
        } catch let error as UnexpectedStatus where error.response.status == .notModified {
            // The app may have sent a validator of its own.
            guard call.log.exchange.isConditional, stored != nil else {
                call.log.exchange.isConditional = false
                throw NotModified.unconditional
            }
            guard try database.writer.storedVersion(of: target) == stored else {
                throw DeltaError(.busy, "Tables were changed by another process; load them again.")
            }
            throw NotModified.current(version: stored?.number ?? 0)
        }
    }
}

extension DeltaError {
    /// True for a response that has other tables or columns than the schema.
    fileprivate var isMisfit: Bool { [.unknownTable, .unknownColumn, .missingKey, .malformed].contains(code) }
}

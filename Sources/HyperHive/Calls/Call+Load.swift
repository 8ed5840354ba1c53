import DeltaSync
import Foundation
import HTTPMessages
import LocalStore

/// A load into a database: what, where, and from which version.
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

/// Response 304: the stored rows, of this version, are current.
struct NotModified: Error {
    let version: Int
}

extension Call {
    /// Identity of the rows of this server, project and user.
    var binding: DeltaBinding {
        let host = (try? HostURL(configuration.host).text) ?? configuration.host
        return DeltaBinding(
            server: host, environment: configuration.environment, project: configuration.project, resource: "",
            user: session.login)
    }

    /// Requests the schema, and keeps it for later calls.
    func schema() async throws -> [HyperHiveResource] {
        let response = try await send(client.wire.schemaRequest(token: session.token, configuration))
        let resources = try HyperHiveResource.resources(in: JSONValue(parsing: response.body))
        client.session.setResources(
            Dictionary(resources.map { ($0.name, $0) }) { first, _ in first }, generation: session.generation)
        return resources
    }

    /// Returns a resource of the schema, which is requested when it is not known.
    func resource(_ name: String) async throws -> HyperHiveResource {
        if let resource = client.session.value.resources?[name] { return resource }
        if let resource = try await schema().first(where: { $0.name == name }) { return resource }
        let description = "The server's schema has no resource \(name); check its name and the user's rights."
        throw log.error(.unknownResource, .init(.server, 404, description))
    }

    /// Requests a resource and loads the response.
    func load(
        _ load: Load, into database: HyperHiveDatabase, _ progress: HyperHiveProgressFeed?
    ) async throws -> LoadOutcome {
        let resource = try await resource(load.resource)
        let body = try RequestParameters.body(load.parameters, for: resource)
        let target = try ResourceTarget(resource, parameters: load.parameters, binding: binding)
        let stored = try await BlockingWork.run { try database.loader.state(of: target) }
        let hasVersions = target.delta != nil
        var request = ResourceRequest(
            load.resource, body: body, transactionID: options.transactionID, headers: options.headers,
            query: options.query)
        if load.isDelta, hasVersions { request.deltaBase = load.usesStoredVersion ? stored.version : 0 }
        // The rows of a delta and of a full response have validators of their own.
        if load.usesStoredVersion, settings.sendsEntityTags, load.isDelta || !hasVersions { request.etag = stored.etag }
        do {
            return try await send(request, stored, into: database, target, progress)
        } catch let error where (request.deltaBase ?? 0) > 0 && isGap(error) {
            request.deltaBase = 0
            request.etag = nil
            // The ID belongs to the first request.
            request.transactionID = nil
            return try await send(request, stored, into: database, target, progress)
        }
    }

    /// True when only a full load helps: the delta has another base version, or the server refuses ours with 400.
    private func isGap(_ error: any Error) -> Bool {
        (error as? DeltaError)?.code == .gap || (error as? UnexpectedStatus)?.response.status == .badRequest
    }

    private func send(
        _ request: ResourceRequest, _ stored: LoadedState, into database: HyperHiveDatabase, _ target: ResourceTarget,
        _ progress: HyperHiveProgressFeed?
    ) async throws -> LoadOutcome {
        let response: HTTPResponseStream
        do {
            response = try await stream(
                client.wire.resourceRequest(request, token: session.token, configuration))
        } catch let error as UnexpectedStatus where error.response.status == .notModified {
            throw NotModified(version: stored.version)
        }
        return try await database.loader.load(
            response.body, content: response.fields["Content-Version"].flatMap { ContentVersion($0) },
            etag: response.fields["ETag"], into: target
        ) { [log] value in
            log.record(received: value.bytes)
            progress?.report(HyperHiveProgress(bytes: value.bytes, rows: value.rows))
        }
    }
}

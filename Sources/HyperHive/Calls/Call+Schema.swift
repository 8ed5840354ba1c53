import Coordination
import HTTPMessages
import ResponseDecoding

// The schema belongs to the call's session: another user may have other resources.

extension Call {
    /// The schema, if it was loaded.
    var knownSchema: ResourceSchema? { client.session.read(from: session, \.schema) ?? nil }

    /// Requests the schema, and keeps it for later calls.
    func schema() async throws -> ResourceSchema {
        let response = try await sendUncached(client.wire.schemaRequest(token: token, configuration))
        let schema = try ResourceSchema(JSONValue(parsing: response.jsonBody))
        client.session.keep(from: session) { $0.schema = schema }
        return schema
    }

    /// Returns a resource of the schema; requests the schema if the resource is unknown or invalid.
    /// - Parameter isCurrent: true to request the schema in any case.
    /// - Throws: ``ResourceError`` (`invalidSchema`), ``HyperHiveError`` (`unknownResource`), the errors of a request.
    func resource(_ name: String, isCurrent: Bool) async throws -> HyperHiveResource {
        if !isCurrent, let resource = try? knownSchema?.resource(name) { return resource }
        if let resource = try await schema().resource(name) { return resource }
        let description = "The server's schema has no resource \(name); check its name and the user's rights."
        throw log.error(.unknownResource, .init(.server, 404, description))
    }

    /// Requests the schema again, and returns a resource if it has changed there.
    ///
    /// Nil if it has not, and if the request fails. The envelope is still about the earlier request, whose error is the
    /// one to report.
    func changed(_ resource: HyperHiveResource) async -> HyperHiveResource? {
        let exchange = log.exchange
        defer { log.exchange = exchange }
        guard let current = try? await schema().resource(resource.name) else { return nil }
        return current == resource ? nil : current
    }
}

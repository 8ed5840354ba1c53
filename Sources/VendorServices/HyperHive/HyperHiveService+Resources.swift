import Foundation
import HTTPMessages
import Synchronization

extension HyperHiveService {
    private static let transactionField = "X-Transaction-ID"

    /// The response to a request for a resource's tables.
    func call(_ name: String, _ exchange: Exchange) throws -> Delivery {
        let request = exchange.request
        try request.requireMethod("POST", "GET", "HEAD", "OPTIONS")
        if request.method == .options {
            var response = Response(empty: .noContent)
            response.fields["Allow"] = "POST, GET, HEAD, OPTIONS"
            return Delivery(response: response)
        }
        let session = try session(of: request)
        let delivery = try state.withLock { state throws(Failure) in
            guard let resource = state.resources[name] else {
                throw Failure(.notFound, "No such resource: \(name)")
            }
            state.counts.resourceRequests[name, default: 0] += 1
            let inputs = try Inputs(exchange, for: resource.definition)
            let identity = CallIdentity(session: session, resource: name, inputs: inputs)
            return try call(identity, resource, request, &state)
        }
        // Outside of the lock, because it may produce much of the tables.
        try checkRange(of: delivery.response)
        return delivery
    }

    private func call(
        _ identity: CallIdentity, _ resource: ResourceState, _ request: HTTPRequest, _ state: inout State
    ) throws(Failure) -> Delivery {
        let delta = request.fields["X-Delta"]
        guard let text = request.fields[Self.transactionField] else {
            guard state.lost.remove(identity) == nil else {
                state.counts.refusedRepeats += 1
                throw Failure(
                    .conflict, "The response to this request was lost; use a field \(Self.transactionField) to get it")
            }
            let response = try execute(identity, resource, request, delta: delta, &state)
            return Delivery(response: response, guarded: resource.definition.refusesRepeats ? identity : nil)
        }
        guard let id = UUID(uuidString: text)?.uuidString.lowercased() else {
            throw .badRequest("The field \(Self.transactionField) is not a UUID")
        }
        let key = TransactionKey(session: identity.session, id: id)
        if let stored = state.transactions[key] {
            guard stored.call == identity, stored.delta == delta else {
                throw Failure(.conflict, "The transaction \(id) belongs to another request; use a new id")
            }
            state.counts.replays += 1
            return Delivery(response: stored.response)
        }
        let response = try execute(identity, resource, request, delta: delta, &state)
        if response.status == .ok {
            state.transactionCount += 1
            state.transactions[key] = Transaction(
                call: identity, delta: delta, response: response, number: state.transactionCount)
        }
        return Delivery(response: response)
    }

    private func execute(
        _ identity: CallIdentity, _ resource: ResourceState, _ request: HTTPRequest, delta: String?,
        _ state: inout State
    ) throws(Failure) -> Response {
        // An invalid range must not load a version.
        _ = try request.rangeOffset()
        if let effect = resource.definition.effect {
            guard delta == nil else { throw .badRequest("The resource \(identity.resource) has no versions") }
            return Response(json: try change(effect, identity.inputs, &state))
        }
        guard resource.definition.isCached else {
            guard delta == nil else { throw .badRequest("The resource \(identity.resource) has no versions") }
            return try plainResponse(identity, resource, request, &state.counts)
        }
        var range: DeltaRange?
        if let delta {
            guard let parsed = DeltaRange(delta) else {
                throw .badRequest("X-Delta is \(delta); use v0-last, v1-v3 or auto")
            }
            range = parsed
        }
        var transferring = Transferring(
            identity: identity, resource: resource, request: request, configuration: configuration,
            entry: state.entries[identity] ?? CacheEntry())
        let response = try transferring.response(range, &state.counts)
        state.entries[identity] = transferring.entry
        return response
    }

    /// The tables of a resource that is not cached.
    private func plainResponse(
        _ identity: CallIdentity, _ resource: ResourceState, _ request: HTTPRequest, _ counts: inout Counts
    ) throws(Failure) -> Response {
        let tag = identity.tag("r\(resource.revision)")
        if request.matchesNone(tag) { return .notModified(tag, &counts) }
        guard request.fields["If-Match"].map({ ETagList($0).matches(tag) }) ?? true else { throw .changed }
        let document = resource.document(.plain, revision: resource.revision, inputs: identity.inputs)
        counts.fullResponses += 1
        return try Response(tables: document).tagged(tag).ranged(for: request)
    }
}

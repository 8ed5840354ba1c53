import Foundation
import HTTPMessages
import Synchronization

extension HyperHiveService {
    /// The stored transactions of the session, oldest first.
    func transactions(_ exchange: Exchange) throws -> Response {
        try exchange.request.requireMethod("GET", "HEAD")
        let session = try session(of: exchange.request)
        let resource = exchange.request.parameters["resource"]
        let stored = state.withLock { state in
            state.transactions.filter { key, transaction in
                key.session == session && (resource == nil || transaction.call.resource == resource)
            }
        }
        let entries = stored.sorted { $0.value.number < $1.value.number }.map { key, transaction in
            ["uuid": .string(key.id), "resource": .string(transaction.call.resource)] as JSONValue
        }
        return Response(json: .array(entries))
    }

    /// The stored response of a transaction, or its deletion.
    func transaction(_ id: String, _ exchange: Exchange) throws -> Response {
        try exchange.request.requireMethod("GET", "HEAD", "DELETE")
        let session = try session(of: exchange.request)
        let key = TransactionKey(session: session, id: id.lowercased())
        return try state.withLock { state throws(Failure) in
            guard let stored = state.transactions[key] else {
                throw Failure(.notFound, "No such transaction: \(id)")
            }
            guard exchange.request.method == .delete else {
                state.counts.replays += 1
                return stored.response
            }
            state.transactions[key] = nil
            return Response(empty: .noContent)
        }
    }
}

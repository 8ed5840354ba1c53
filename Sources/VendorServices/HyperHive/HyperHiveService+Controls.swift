public import HTTPMessages
import Synchronization

/// What tests read and set.
extension HyperHiveService {
    /// A row on the server.
    public struct Row: Hashable, Sendable {
        /// The `hhive_id`.
        public let id: Int64
        /// The cells, in the order of the columns, without `hhive_id`.
        public let cells: [JSONValue]
    }

    /// What the server did so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// The devices by id.
    public var devices: [String: Device] { state.withLock { $0.devices } }

    /// The current rows of a table, for all parameters; generated ones are computed.
    /// - Parameter table: name of the table; nil for the first one.
    /// - Throws: ``HyperHiveContentError`` for unknown names.
    public func rows(of resource: String, table: String? = nil) throws(HyperHiveContentError) -> [Row] {
        let known = state.withLock { $0.resources[resource] }
        guard let known, let table = known.tables.first(where: { table == nil || $0.name == table }) else {
            throw HyperHiveContentError(.invalidChange, "No resource \(resource) with the table \(table ?? "").")
        }
        let content = table.content, revision = known.revision
        return (0..<content.slotCount).compactMap { slot in
            content.id(at: slot, revision: revision).map {
                Row(id: $0, cells: content.cells(at: slot, revision: revision))
            }
        }
    }

    /// The ids of the stored transactions of a resource, in lower case, oldest first.
    public func transactionIDs(of resource: String) -> [String] {
        let stored = state.withLock { $0.transactions.filter { $0.value.call.resource == resource } }
        return stored.sorted { $0.value.number < $1.value.number }.map(\.key.id)
    }

    /// Loads the content of a resource for all parameters that were requested, as a schedule of the server does: each
    /// of them gets a new version.
    public func load(_ resource: String) {
        state.withLock { state in
            guard let revision = state.resources[resource]?.revision else { return }
            for identity in state.entries.keys where identity.resource == resource {
                state.entries[identity]?.load(revision)
                state.counts.loads += 1
            }
        }
    }

    /// Forgets all versions, as after a reset of the server's cache: versions start again, and later ones get 400.
    public func forgetVersions() { state.withLock { $0.entries = [:] } }

    /// Makes all tokens invalid.
    public func expireTokens() { state.withLock { $0.tokens = [:] } }

    /// Forgets all transactions.
    public func forgetTransactions() { state.withLock { $0.transactions = [:] } }

    /// Injects a fault into the next requests to an endpoint, after those injected before.
    public func inject(_ fault: EndpointFault, at endpoint: Endpoint = .resource, count: Int = 1) {
        state.withLock { $0.faults.inject(fault, at: endpoint, count: count) }
    }

    /// Counts a response that the client did not get, and refuses its repeat if it must.
    func remember(lossOf delivery: Delivery) {
        state.withLock { state in
            state.counts.lostResponses += 1
            if let identity = delivery.guarded { state.lost.insert(identity) }
        }
    }
}

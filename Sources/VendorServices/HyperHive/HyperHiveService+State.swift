import HTTPMessages

extension HyperHiveService {
    /// A resource with its content.
    struct ResourceState {
        let definition: Resource
        /// Counts the changes of the content, for all tables together.
        var revision = 0
        var tables: [TableState]

        init(_ definition: Resource) {
            self.definition = definition
            tables = definition.tables.map { TableState($0) }
        }

        /// The tables' content at a revision, for the parameters.
        func document(_ form: TableDocument.Form, revision: Int, inputs: Inputs) -> TableDocument {
            TableDocument(
                tables: tables.map { $0.snapshot(matches: condition(on: $0.name, inputs)) }, form: form,
                revision: revision)
        }

        /// Whether a row of a table belongs to the parameters; nil if all do.
        private func condition(on table: String, _ inputs: Inputs) -> (@Sendable ([JSONValue]) -> Bool)? {
            guard let matches = definition.matches else { return nil }
            return { cells in matches(inputs, table, cells) }
        }
    }

    struct TableState {
        enum Rows {
            case stored(StoredRows)
            case generated(GeneratedRows)
        }

        let name: String
        let columns: [Column]
        var rows: Rows

        init(_ table: Table) {
            name = table.name
            columns = table.columns
            switch table.source {
            case .rows(let rows): self.rows = .stored(StoredRows(rows))
            case .generated(let count, let seed):
                rows = .generated(GeneratedRows(table.columns, count: count, seed: seed))
            }
        }

        func snapshot(matches: (@Sendable ([JSONValue]) -> Bool)?) -> TableDocument.Table {
            TableDocument.Table(name: name, sentName: name, content: content, matches: matches)
        }

        var content: any TableContent {
            switch rows {
            case .stored(let rows): rows
            case .generated(let rows): rows
            }
        }
    }

    struct TransactionKey: Hashable {
        let session: Session
        let id: String
    }

    struct Transaction {
        let call: CallIdentity
        let delta: String?
        let response: Response
        /// The order of storing.
        let number: Int
    }

    struct State {
        var tokens: [String: Token] = [:]
        var devices: [String: Device] = [:]
        var resources: [String: ResourceState]
        var entries: [CallIdentity: CacheEntry] = [:]
        var transactions: [TransactionKey: Transaction] = [:]
        /// The number of transactions stored so far.
        var transactionCount = 0
        /// Calls whose response was lost, and whose repeat is refused.
        var lost: Set<CallIdentity> = []
        var counts = Counts()
        /// What tests set.
        var faults = InjectedFaults<Endpoint, EndpointFault>()

        init(_ configuration: Configuration) {
            resources = Dictionary(configuration.resources.map { ($0.name, ResourceState($0)) }) { _, last in last }
        }

        /// Counts a request, and returns the fault it gets.
        mutating func receive(_ endpoint: Endpoint) -> EndpointFault? {
            counts.requests[endpoint, default: 0] += 1
            return faults.next(at: endpoint)
        }
    }
}

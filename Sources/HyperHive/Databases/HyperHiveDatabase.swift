import Dispatch
import StoreCore

/// An open local database: its store, the writer of its tables, and its own small tables.
final class HyperHiveDatabase: Sendable {
    let path: DatabasePath
    let store: any LocalStore
    let writer: TableWriter
    /// The tables of each resource.
    let tables: TableRegister
    /// The app's parameters.
    let parameters: ParameterTable
    /// The loads in progress; see ``DatabaseUse``.
    let uses = DispatchGroup()

    init(_ path: DatabasePath, _ store: any LocalStore) {
        self.path = path
        self.store = store
        tables = TableRegister(store: store)
        writer = TableWriter(store, tables)
        parameters = ParameterTable(store: store)
    }
}

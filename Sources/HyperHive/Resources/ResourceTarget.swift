import DeltaSync
import StoreCore

/// Local tables that the responses of a resource, called with some parameters, are loaded into.
struct ResourceTarget: Sendable {
    /// Output table of the resource and its local table.
    struct Table: Hashable, Sendable {
        /// The name in the response.
        let name: String
        /// The local table.
        let schema: TableSchema
        /// The columns of the primary key.
        let key: [Int]

        init(_ name: String, _ schema: TableSchema) {
            self.name = name
            self.schema = schema
            key = schema.primaryKey.compactMap { schema.index(of: $0) }
        }
    }

    let names: TableNames
    /// At least one.
    let tables: [Table]
    /// The local tables and the identity of their rows.
    let delta: DeltaTarget
    /// False for a resource that the server does not cache: each load replaces its rows.
    let hasVersions: Bool

    /// - Parameter binding: identity of the rows; its `resource` and `parameters` are set here.
    /// - Throws: ``ResourceError`` (`digest`; `invalidSchema` when the resource has no tables, or when its names do not
    ///   make tables).
    init(_ resource: HyperHiveResource, parameters: String, binding: DeltaBinding) throws(ResourceError) {
        names = try TableNames(resource: resource.name, parameters: parameters)
        var binding = binding
        binding.resource = resource.name
        binding.parameters = try TableNames.fingerprint(of: parameters)
        guard !resource.outputs.isEmpty else {
            throw ResourceError(
                .invalidSchema, "Resource \(resource.name) has no output tables; request it as raw data.")
        }
        do throws(StoreError) {
            var tables: [Table] = []
            for table in resource.outputs {
                tables.append(Table(table.name, try resource.localSchema(of: table, named: names.local(table.name))))
            }
            self.tables = tables
            hasVersions = resource.isCached
            let schemas = tables.map(\.schema)
            delta =
                hasVersions
                ? try DeltaTarget(tables: schemas, binding: binding)
                : try DeltaTarget(replacing: schemas, binding: binding)
        } catch {
            throw ResourceError(.invalidSchema, "Invalid schema of resource \(resource.name): \(error.message)")
        }
    }

    /// The names of the local tables.
    var tableNames: Set<SQLIdentifier> { Set(tables.map(\.schema.name)) }
}

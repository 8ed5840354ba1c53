import JSON

/// The server's schema: its resources by name.
///
/// An entry that is not valid affects only the calls that use it.
struct ResourceSchema: Sendable {
    private let entries: [String: Result<HyperHiveResource, ResourceError>]

    /// Reads the schema: an object keyed by resource name.
    /// - Throws: ``ResourceError`` (`invalidSchema`) for another structure.
    init(_ schema: JSONValue) throws(ResourceError) {
        guard let members = schema.object else {
            throw ResourceError(.invalidSchema, "Invalid schema: expected an object keyed by resource name.")
        }
        var entries: [String: Result<HyperHiveResource, ResourceError>] = [:]
        for (name, entry) in members {
            entries[name] = Result { () throws(ResourceError) in try HyperHiveResource(name, entry) }
        }
        self.entries = entries
    }

    /// The valid resources, sorted by name.
    var resources: [HyperHiveResource] { entries.values.compactMap { try? $0.get() }.sorted { $0.name < $1.name } }

    /// Returns a resource; nil when the schema has no entry for it.
    /// - Throws: ``ResourceError`` (`invalidSchema`) when its entry is not valid.
    func resource(_ name: String) throws(ResourceError) -> HyperHiveResource? { try entries[name]?.get() }
}

/// Recorder of the tables that the queries of one `read` use.
final class TableRecorder {
    private var recorded: Set<SQLIdentifier>? = []

    /// The recorded tables; nil when those of a query are unknown, or when no query was recorded.
    var tables: Set<SQLIdentifier>? { recorded?.isEmpty == true ? nil : recorded }

    /// Adds the tables of a query; nil when they are unknown.
    func record(_ read: Set<SQLIdentifier>?) {
        guard let read else { return recorded = nil }
        recorded?.formUnion(read)
    }
}

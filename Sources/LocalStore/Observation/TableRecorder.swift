/// The tables that the queries of one read have read.
final class TableRecorder {
    private var recorded: Set<SQLIdentifier>? = []

    /// The tables; nil when they are unknown: those of a query, or of a value that no query of the reader gives.
    var tables: Set<SQLIdentifier>? { recorded?.isEmpty == true ? nil : recorded }

    /// Adds the tables of a query; nil when they are unknown.
    func record(_ read: Set<SQLIdentifier>?) {
        guard let read else { return recorded = nil }
        recorded?.formUnion(read)
    }
}

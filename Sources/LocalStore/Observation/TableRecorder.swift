/// The tables that the queries of one read have read.
final class TableRecorder {
    /// Nil when one of them is unknown.
    private(set) var tables: Set<SQLIdentifier>? = []

    /// Adds the tables of a query; nil when they are unknown.
    func record(_ read: Set<SQLIdentifier>?) {
        guard let read else { return tables = nil }
        tables?.formUnion(read)
    }
}

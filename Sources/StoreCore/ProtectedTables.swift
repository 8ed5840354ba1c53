/// Write protection of a store's tables, for an implementation of ``LocalStore``.
///
/// `DeltaApplier` protects the tables of a delta during its calls to the `DeltaSource`, whose writes to them would
/// invalidate the delta's base version or be overwritten. Every store has its own object, and passes the tables that a
/// call writes to ``check(_:)``:
///
/// ```swift
/// let protectedTables = ProtectedTables()
///
/// func upsert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
///     try protectedTables.check([table])
///     ...
/// }
/// ```
///
/// A store over another one returns the object of that one, which then checks all calls.
///
/// The protection is task-local: it covers the calls that the source makes, not other threads.
public final class ProtectedTables: Sendable {
    private struct Protection {
        let owner: ProtectedTables
        let names: Set<SQLIdentifier>
    }

    @TaskLocal private static var current: [Protection] = []

    /// Creates an object that protects nothing.
    public init() {}

    /// Runs `body` with these tables protected, in addition to those that are protected already.
    package func protecting<Result>(_ names: Set<SQLIdentifier>, _ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(Self.current + [Protection(owner: self, names: names)], operation: body)
    }

    /// Checks the tables that a call is about to write, or has written and can still roll back.
    /// - Parameter tables: their names; evaluated only while a table of this store is protected.
    /// - Throws: ``StoreError`` (`misuse`) when one of them is protected.
    public func check(_ tables: @autoclosure () -> Set<SQLIdentifier>) throws(StoreError) {
        let protections = Self.current.filter { $0.owner === self }
        guard !protections.isEmpty else { return }
        let tables = tables()
        guard protections.allSatisfy({ $0.names.isDisjoint(with: tables) }) else {
            throw StoreError(
                .misuse, "A DeltaSource must not write to the tables of its own delta; write after apply returns.")
        }
    }
}

/// Write protection of the tables that a delta is being applied to, during calls to its source.
///
/// A source that writes to them would invalidate the delta's base version, or be overwritten. The protection is
/// task-local: it covers the calls that the source makes, not other threads.
package struct ProtectedTables: Sendable {
    @TaskLocal private static var current: [ProtectedTables] = []

    private let store: ObjectIdentifier
    private let names: Set<SQLIdentifier>

    package init(_ names: some Sequence<SQLIdentifier>, of store: any LocalStore) {
        self.store = ObjectIdentifier(store as AnyObject)
        self.names = Set(names)
    }

    /// Runs a call to the source with these tables protected.
    package func during<Result>(_ call: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(Self.current + [self], operation: call)
    }

    /// Checks the tables that a call is about to write, or has written and can still roll back.
    /// - Throws: `StoreError` (`misuse`) when one is protected.
    package static func check(_ tables: @autoclosure () -> Set<SQLIdentifier>, in store: AnyObject) throws(StoreError) {
        let protected = current.filter { $0.store == ObjectIdentifier(store) }
        guard !protected.isEmpty else { return }
        let tables = tables()
        guard protected.allSatisfy({ $0.names.isDisjoint(with: tables) }) else {
            throw StoreError(
                .misuse, "A DeltaSource must not write to the tables of its own delta; write after apply returns.")
        }
    }
}

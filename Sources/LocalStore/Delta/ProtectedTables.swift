/// The tables of a store that a delta is being applied to, while its source is asked for more.
///
/// A source that writes to them would change what the delta was made for, or be overwritten by it. The binding holds for
/// the calls that the source makes, not for other threads.
struct ProtectedTables: Sendable {
    @TaskLocal static var current: [ProtectedTables] = []

    let store: ObjectIdentifier
    let names: Set<SQLIdentifier>

    init(_ names: some Sequence<SQLIdentifier>, of store: any LocalStore) {
        self.store = ObjectIdentifier(store as AnyObject)
        self.names = Set(names)
    }

    /// Runs a source's call.
    func during<Result>(_ call: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(Self.current + [self], operation: call)
    }

    /// Checks the tables that a call of a store is about to write, or has written and can still take back.
    /// - Throws: `StoreError` (`misuse`).
    static func check(_ tables: @autoclosure () -> Set<SQLIdentifier>, in store: AnyObject) throws(StoreError) {
        let protected = current.filter { $0.store == ObjectIdentifier(store) }
        guard !protected.isEmpty else { return }
        let tables = tables()
        guard protected.allSatisfy({ $0.names.isDisjoint(with: tables) }) else {
            throw StoreError(.misuse, "A delta's source cannot write to the tables that the delta is applied to.")
        }
    }
}

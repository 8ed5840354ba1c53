/// Ordered steps that bring the tables of a store up to date.
///
/// Each step runs once in the life of the store.
///
/// ```swift
/// var migrator = StoreMigrator()
/// migrator.add("create note") { store in
///     try store.execute("CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT NOT NULL)")
/// }
/// migrator.add("add note.created") { store in
///     try store.execute("ALTER TABLE note ADD COLUMN created TEXT")
/// }
/// try migrator.migrate(store)
/// ```
///
/// Each step runs in a transaction of its own together with its record in the table `patchbay_migrations`: after a
/// crash or an error a step is either applied and recorded, or neither. Threads and processes that migrate the same
/// store at once wait for each other, and each step still runs once.
///
/// Never rename, remove or reorder a step that has been released; add new ones at the end. A store with other steps
/// than these throws `migration`.
///
/// In `SQLiteStore`, a step may drop and create tables that foreign keys refer to: foreign keys are checked before the
/// step's commit, and not by each statement; see ``LocalStore/schemaTransaction(_:)``.
public struct StoreMigrator: Sendable {
    private struct Step: Sendable {
        let name: String
        let body: @Sendable (any LocalStore) throws -> Void
    }

    private var steps: [Step] = []

    /// Creates a migrator without steps.
    public init() {}

    /// The names of the steps, in order.
    public var stepNames: [String] { steps.map(\.name) }

    /// Adds a step after the others.
    /// - Parameters:
    ///   - name: a unique name, recorded in the store. The calls below throw `invalidArgument` when two are equal.
    ///   - body: changes the tables, on the thread of ``migrate(_:upTo:)``. Its calls to the store belong to the step's
    ///     transaction.
    public mutating func add(_ name: String, _ body: @escaping @Sendable (_ store: any LocalStore) throws -> Void) {
        steps.append(Step(name: name, body: body))
    }

    /// Runs the steps that the store has not applied yet. If there is no such step, it only reads.
    /// - Parameter last: the name of the last step to run; default all. A store that has applied later steps is not
    ///   changed.
    /// - Returns: the names of the steps that this call ran.
    /// - Throws: ``StoreError``: `migration` when the steps of the store are not the first ones of the migrator;
    ///   `invalidArgument` for duplicate names, or when no step is called `last`. The error of a step, after its
    ///   rollback; the steps before it stay applied. The message of its `StoreError` begins with the step's name.
    @discardableResult
    public func migrate(_ store: any LocalStore, upTo last: String? = nil) throws -> [String] {
        let history = try MigrationHistory(steps: stepNames)
        let goal = try history.goal(upTo: last)
        var names: [String] = []
        guard try history.appliedCount(of: MigrationTable.names(in: store)) < goal else { return names }
        // Another process may run some of the steps, so each transaction looks for the next one itself.
        while let name = try runNextStep(in: store, history, goal) { names.append(name) }
        return names
    }

    /// The names of the steps that a store has applied, in order; empty for a new one.
    /// - Throws: ``StoreError``.
    public func appliedSteps(in store: any LocalStore) throws -> [String] { try MigrationTable.names(in: store) }

    /// True when a store has applied all steps.
    /// - Throws: ``StoreError``: as ``migrate(_:upTo:)``.
    public func isUpToDate(_ store: any LocalStore) throws -> Bool {
        try MigrationHistory(steps: stepNames).appliedCount(of: appliedSteps(in: store)) == steps.count
    }

    /// - Returns: the name of the step; nil when `goal` steps are applied.
    private func runNextStep(
        in store: any LocalStore, _ history: MigrationHistory, _ goal: Int
    ) throws -> String? {
        var running: Step?
        do {
            try store.schemaTransaction {
                let count = try history.appliedCount(of: MigrationTable.names(in: store))
                guard count < goal else { return }
                running = steps[count]
                try steps[count].body(store)
                try MigrationTable.record(steps[count].name, number: count + 1, in: store)
            }
        } catch let error as StoreError {
            throw running.map { error.inStep($0.name) } ?? error
        }
        return running?.name
    }
}

extension StoreError {
    fileprivate func inStep(_ name: String) -> StoreError {
        StoreError(
            code, "Migration step \"\(name)\": \(message)", feature: feature, offset: offset, engineCode: engineCode)
    }
}

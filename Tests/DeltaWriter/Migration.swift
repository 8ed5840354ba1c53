import StoreCore

/// Migrates a store in steps that each insert two rows into the table `ran`, with the kill point `step` between them.
///
/// MigrationProcessTests have the same steps.
/// - Returns: the numbers of the steps that this process ran.
func migrate(_ store: any LocalStore, stepCount: Int, _ killPoint: KillPoint) throws -> String {
    var migrator = StoreMigrator()
    for number in 1...stepCount {
        migrator.add("step \(number)") { store in
            if number == 1 { try store.execute("CREATE TABLE ran (step INTEGER)", []) }
            try store.execute("INSERT INTO ran VALUES (?)", [.integer(Int64(number))])
            killPoint.reach("step")
            try store.execute("INSERT INTO ran VALUES (?)", [.integer(Int64(number))])
        }
    }
    return try migrator.migrate(store).map { $0.filter(\.isNumber) }.joined(separator: " ")
}

import StoreCore

// A plan runs on any copy of the database that has its schema version; a reader passes that of its snapshot.
extension MemoryPlan: EngineStatement {
    func tablesRead(on connection: UnsafeMutableRawPointer) -> Set<SQLIdentifier>? {
        connection.assumingMemoryBound(to: MemoryDatabase.self).pointee.tablesRead(by: self)
    }

    func run(
        _ parameters: UnsafeBufferPointer<StoreValue>, on connection: UnsafeMutableRawPointer,
        each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let database = connection.assumingMemoryBound(to: MemoryDatabase.self)
        database.pointee.interruption.begin()
        var resultSet = try database.pointee.run(self, parameters).resultSet
        defer { resultSet?.swapBuffers(&database.pointee.resultBuffers) }
        try resultSet?.forEach(database.pointee.interruption, each)
    }
}

import StoreCore

/// Keeps registrations in a local store, in the table `patchbay_sap_connection`.
struct SMPRegistrationTable: SMPRegistrationStore {
    private static let table = SQLIdentifier(SQLIdentifier.reservedPrefix + "sap_connection")
    private static let columns: [SQLIdentifier] = ["server", "application", "connection", "location", "style"]

    let store: any LocalStore

    func registration(of application: String, at server: String) throws -> SMPRegistration? {
        guard try store.schema(of: Self.table) != nil else { return nil }
        var registration: SMPRegistration?
        let query =
            "SELECT connection, location, style FROM \(Self.table.quoted) WHERE server = ? AND application = ?"
        try store.query(query, [.text(server), .text(application)]) { row in
            guard let id = row.text(at: 0), SMPConnectionID.isValid(id),
                let style = row.text(at: 2).flatMap({ SMPHeaderStyle(rawValue: $0) })
            else { return false }
            registration = SMPRegistration(
                applicationID: application, connectionID: id, location: row.text(at: 1) ?? "", style: style)
            return false
        }
        return registration
    }

    func set(_ registration: SMPRegistration?, of application: String, at server: String) throws {
        try store.transaction {
            if try store.schema(of: Self.table) == nil {
                let columns = Self.columns.map { TableSchema.Column($0, "TEXT") }
                try store.createTable(
                    TableSchema(Self.table, columns: columns, primaryKey: ["server", "application"]))
            }
            if let registration {
                var batch = try RowBatch(columns: Self.columns)
                try batch.append([
                    .text(server), .text(application), .text(registration.connectionID),
                    .text(registration.location), .text(registration.style.rawValue),
                ])
                try store.upsert(batch, into: Self.table)
            } else {
                var batch = try RowBatch(columns: ["server", "application"])
                try batch.append([.text(server), .text(application)])
                try store.delete(batch, from: Self.table)
            }
        }
    }
}

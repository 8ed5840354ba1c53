import JSON
import StoreCore

extension HyperHiveResource {
    /// Reads one entry of the schema.
    /// - Throws: ``ResourceError`` (`invalidSchema`).
    init(_ name: String, _ entry: JSONValue) throws(ResourceError) {
        let reader = SchemaReader(resource: name)
        try reader.checkObject(entry, "its entry")
        let input = entry["input"] ?? .null
        if !input.isNull { try reader.checkObject(input, "input") }
        var scalarInputs: [String] = []
        for scalar in reader.list(input["scalar"]) { scalarInputs.append(try reader.name(of: scalar, "input.scalar")) }
        self.init(
            name, lifetime: try reader.lifetime(entry["lifetime"]), scalarInputs: scalarInputs,
            tableInputs: try reader.tables(input["tabular"], "input.tabular"),
            outputs: try reader.tables(entry["output"], "output", only: "output_table"))
    }
}

/// Reader of one resource's entry in the schema.
private struct SchemaReader {
    let resource: String

    private func invalid(_ place: String, _ reason: String) -> ResourceError {
        ResourceError(.invalidSchema, "Invalid schema of resource \(resource): \(place) \(reason).")
    }

    /// Returns the elements of a list; one for a single value, none for null.
    func list(_ value: JSONValue?) -> [JSONValue] {
        guard let value, !value.isNull else { return [] }
        return value.array ?? [value]
    }

    func checkObject(_ value: JSONValue, _ place: String) throws(ResourceError) {
        guard value.object != nil else { throw invalid(place, "is not an object") }
    }

    func name(of value: JSONValue, _ place: String) throws(ResourceError) -> String {
        let name = value.string ?? value["name"]?.string ?? value["id"]?.string
        guard let name, !name.isEmpty else { throw invalid(place, "has an element without a name") }
        return name
    }

    func lifetime(_ value: JSONValue?) throws(ResourceError) -> String? {
        guard let value, !value.isNull else { return nil }
        // The number of seconds would be another way to write a duration.
        guard let text = value.string ?? value.integer.map(String.init) else {
            throw invalid("lifetime", "is neither text nor a number")
        }
        return text.contains { !$0.isWhitespace } ? text : nil
    }

    /// Reads tables: a list, a single one, or an object keyed by their names.
    /// - Parameter only: the name of a single table without one; nil if it must have one.
    func tables(
        _ value: JSONValue?, _ place: String, only: String? = nil
    ) throws(ResourceError) -> [HyperHiveResource.Table] {
        var named: [(name: String, table: JSONValue)] = []
        if let members = value?.object, ["name", "id", "columns"].allSatisfy({ members[$0] == nil }) {
            // Their order does not matter, unlike that of columns.
            for (name, table) in members.sorted(by: { $0.key < $1.key }) {
                named.append((name, table.array == nil ? table : ["columns": table]))
            }
        } else {
            let tables = list(value)
            for table in tables {
                let isNamed = ["name", "id"].contains { table[$0]?.string != nil }
                if let only, tables.count == 1, !isNamed {
                    named.append((only, table))
                } else {
                    named.append((try name(of: table, place), table))
                }
            }
        }
        var tables: [HyperHiveResource.Table] = []
        for (name, table) in named {
            guard !tables.contains(where: { $0.name == name }) else {
                throw invalid("\(place).\(name)", "occurs twice")
            }
            var columns: [HyperHiveResource.Column] = []
            for column in list(table["columns"]) {
                columns.append(.init(try self.name(of: column, "\(place).\(name).columns"), type(of: column)))
            }
            guard !columns.isEmpty else { throw invalid("\(place).\(name)", "has no columns") }
            tables.append(.init(name, columns: columns))
        }
        return tables
    }

    /// The type of a column: the one stated for the database, else the one that follows from SAP's.
    private func type(of column: JSONValue) -> HyperHiveResource.ColumnType {
        if let type = column["type"]?.string {
            return HyperHiveResource.ColumnType(sapKind: type) ?? .init(declaredType: type)
        }
        return column["source"]?["type"]?.string.flatMap { .init(sapKind: $0) } ?? .text
    }
}

extension HyperHiveResource.ColumnType {
    /// Creates the type that a database gives to a declared one, such as `integer` or `float`; text for an unknown one.
    init(declaredType: String) {
        switch ColumnAffinity(declaredType: declaredType) {
        case .integer: self = .bigint
        case .real: self = .double
        case .text, .numeric, .blob: self = .text
        }
    }

    /// Creates the type for a case-sensitive type kind of ABAP; nil for an unknown one.
    init?(sapKind: String) {
        switch sapKind {
        case "C", "N", "D", "T": self = .text
        case "I", "s", "b": self = .bigint
        case "P": self = .double
        default: return nil
        }
    }
}

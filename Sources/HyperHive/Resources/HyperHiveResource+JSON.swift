import JSON

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
            outputs: try reader.tables(entry["output"], "output"))
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
        guard let name = value["name"]?.string, !name.isEmpty else {
            throw invalid(place, "has an element without a name")
        }
        return name
    }

    func lifetime(_ value: JSONValue?) throws(ResourceError) -> String? {
        guard let value, !value.isNull else { return nil }
        // The number of seconds would be another way to write a duration.
        guard let text = value.string ?? value.integer.map(String.init) else {
            throw invalid("lifetime", "is neither text nor a number")
        }
        return text
    }

    func tables(_ value: JSONValue?, _ place: String) throws(ResourceError) -> [HyperHiveResource.Table] {
        var tables: [HyperHiveResource.Table] = []
        for table in list(value) {
            let name = try name(of: table, place)
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
            return HyperHiveResource.ColumnType(rawValue: type.uppercased()) ?? .init(sapKind: type) ?? .text
        }
        return column["source"]?["type"]?.string.flatMap { .init(sapKind: $0) } ?? .text
    }
}

extension HyperHiveResource.ColumnType {
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

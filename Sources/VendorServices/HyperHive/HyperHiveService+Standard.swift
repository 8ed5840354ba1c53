import HTTPMessages

extension HyperHiveService.Resource {
    /// A resource that changes the rows of another one.
    ///
    /// Its table parameters are `upsert_rows`, with the columns of the table, and `delete_ids`, with the key column.
    /// First each row of `upsert_rows` replaces the rows with its key or is inserted, then the rows with the keys of
    /// `delete_ids` are deleted. The output `result` has one row with the numbers `upserted` and `deleted`.
    /// - Parameters:
    ///   - table: name of the table; nil for the first one. Generated tables cannot be changed (400).
    ///   - key: name of the column that identifies a row.
    public static func crud(
        _ name: String, changing resource: HyperHiveService.Resource, table: String? = nil, key: String
    ) -> Self {
        let target = table.flatMap { name in resource.tables.first { $0.name == name } } ?? resource.tables.first
        let columns = target?.columns ?? []
        var crud = Self(
            name, lifetime: nil,
            tableInputs: [
                .init("upsert_rows", columns), .init("delete_ids", columns.filter { $0.name == key }),
            ], tables: [.init("result", [.init("upserted", .bigint), .init("deleted", .bigint)])])
        crud.effect = Effect(resource: resource.name, table: target?.name ?? "", key: key)
        crud.refusesRepeats = true
        return crud
    }

    /// Three resources: `FRUITS`, cached, with the parameters `IV_REGION` and `IT_FILTER`; `FRUITS_CHANGE`, which
    /// changes its rows; and `PRICES`, which is not cached.
    public static let standard: [Self] = [fruits, .crud("FRUITS_CHANGE", changing: fruits, key: "id"), prices]

    private static let fruits = Self(
        "FRUITS", scalars: [.init("IV_REGION", defaultValue: "")],
        tableInputs: [.init("IT_FILTER", [.init("name"), .init("count", .bigint)])],
        tables: [
            .init(
                "output_table", [.init("id", .bigint), .init("name"), .init("region")],
                rows: [[1, "Apple", "east"], [2, "Pear", "east"], [3, "Груша", "west"], [4, nil, nil]])
        ]
    ) { inputs, _, row in
        let region = inputs.scalars["IV_REGION"] ?? "", names = inputs.rows["IT_FILTER"]?.compactMap(\.first) ?? []
        return (region == "" || row[2] == region) && (names.isEmpty || names.contains(row[1]))
    }

    private static let prices = Self(
        "PRICES", lifetime: nil,
        tables: [
            .init("output_table", [.init("id", .bigint), .init("price", .double)], rows: [[1, 0.5], [2, 1.25]])
        ])
}

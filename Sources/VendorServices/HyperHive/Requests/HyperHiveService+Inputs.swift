import Foundation
public import HTTPMessages

extension HyperHiveService {
    /// The input parameters of a request, with the defaults of those it lacks.
    public struct Inputs: Hashable, Sendable {
        /// Values of the scalar parameters by name.
        public internal(set) var scalars: [String: JSONValue] = [:]
        /// Rows of the table parameters by name, each with a cell for every column.
        public internal(set) var rows: [String: [[JSONValue]]] = [:]
    }
}

extension HyperHiveService.Inputs {
    /// Reads the parameters of a request: those of the body, or for `GET` and `HEAD` scalars of the query.
    /// - Throws: `Failure` (400) for unknown parameters and wrong types.
    init(_ exchange: HyperHiveService.Exchange, for resource: HyperHiveService.Resource) throws(HyperHiveService
        .Failure)
    {
        var values: [String: JSONValue] = [:]
        if exchange.request.method == .post {
            values = try Self.members(of: exchange.body)
        } else {
            let query = exchange.request.parameters
            for scalar in resource.scalars {
                values[scalar.column.name] = query[scalar.column.name].flatMap { scalar.column.type.value(of: $0) }
            }
        }
        for scalar in resource.scalars {
            let value = values.removeValue(forKey: scalar.column.name) ?? scalar.defaultValue
            scalars[scalar.column.name] = try scalar.column.checked(value, "Parameter")
        }
        for table in resource.tableInputs {
            rows[table.name] = try Self.rows(values.removeValue(forKey: table.name) ?? [], of: table)
        }
        if let unknown = values.keys.min() {
            throw .badRequest("Unknown parameter \(unknown) of the resource \(resource.name)")
        }
    }

    private static func members(of body: Data) throws(HyperHiveService.Failure) -> [String: JSONValue] {
        guard !body.isEmpty else { return [:] }
        guard let members = (try? JSONValue(parsing: body))?.object else {
            throw .badRequest("The body is not a JSON object of parameters")
        }
        return members
    }

    private static func rows(
        _ value: JSONValue, of table: HyperHiveService.TableInput
    ) throws(HyperHiveService.Failure) -> [[JSONValue]] {
        guard let rows = value.array else {
            throw .badRequest("Table parameter \(table.name) is not a list of rows")
        }
        var result: [[JSONValue]] = []
        for (index, row) in rows.enumerated() {
            guard let cells = row.array, cells.count <= table.columns.count else {
                throw .badRequest(
                    "Row \(index) of table parameter \(table.name) is not a list of up to \(table.columns.count) cells")
            }
            var checked: [JSONValue] = []
            for (position, column) in table.columns.enumerated() {
                let cell = position < cells.count ? cells[position] : .null
                checked.append(try column.checked(cell, "Row \(index) of \(table.name), column"))
            }
            result.append(checked)
        }
        return result
    }
}

extension HyperHiveService.Column {
    /// The value, if it is null or of the column's type.
    fileprivate func checked(_ value: JSONValue, _ place: String) throws(HyperHiveService.Failure) -> JSONValue {
        guard type.accepts(value) else { throw .badRequest("\(place) \(name) is not of type \(type.name)") }
        return value
    }
}

extension HyperHiveService.ColumnType {
    /// The type's name in the schema.
    var name: String {
        switch self {
        case .text: "TEXT"
        case .bigint: "BIGINT"
        case .double: "DOUBLE"
        case .other(let name): name
        }
    }

    func accepts(_ value: JSONValue) -> Bool {
        switch self {
        case _ where value.isNull: true
        case .text: value.string != nil
        case .bigint: value.integer != nil
        case .double: value.double != nil
        case .other: true
        }
    }

    /// The value of a text in a query; text if it is of another type, which is refused later.
    fileprivate func value(of text: String) -> JSONValue {
        switch self {
        case .bigint: Int64(text).map(JSONValue.integer) ?? .string(text)
        case .double: Double(text).map(JSONValue.number) ?? .string(text)
        case .text, .other: .string(text)
        }
    }
}

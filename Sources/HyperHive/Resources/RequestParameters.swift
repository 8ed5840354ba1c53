import Foundation
import JSON

/// Body of a resource's request: the parameters as a JSON object.
///
/// Table parameters are lists of positional rows.
enum RequestParameters {
    /// Returns the body for the text of parameters.
    ///
    /// Rows of table parameters may be objects or lists; a missing cell is null. Parameters that the schema lacks are
    /// passed on unchanged, and so is the text when no table parameter needs a change. Numbers keep their digits.
    /// - Parameters:
    ///   - text: a JSON object; empty and `null` for none.
    ///   - resource: the schema; nil when it is not known.
    /// - Throws: ``ResourceError`` (`invalidParameters`).
    static func body(_ text: String, for resource: HyperHiveResource?) throws(ResourceError) -> Data {
        let value: JSONText
        do throws(JSONError) { value = try text.isEmpty ? .null : JSONText(parsing: Data(text.utf8)) } catch {
            throw ResourceError(.invalidParameters, "The parameters are not JSON: \(error.message)")
        }
        guard value != .null else { return Data("{}".utf8) }
        guard let parameters = value.object else {
            throw ResourceError(.invalidParameters, "The parameters are not a JSON object; pass {} for none.")
        }
        var positional = parameters
        for table in resource?.tableInputs ?? [] {
            guard let rows = parameters[table.name], rows != .null else { continue }
            positional[table.name] = try self.rows(rows, of: table)
        }
        return positional == parameters ? Data(text.utf8) : JSONText(positional).bytes
    }

    private static func rows(
        _ value: JSONText, of table: HyperHiveResource.Table
    ) throws(ResourceError) -> JSONText {
        guard let rows = value.array else {
            throw ResourceError(.invalidParameters, "Table parameter \(table.name) is not a list of rows.")
        }
        var positional: [JSONText] = []
        for (index, row) in rows.enumerated() { positional.append(try self.row(row, index, of: table)) }
        return positional == rows ? value : JSONText(positional)
    }

    private static func row(
        _ row: JSONText, _ index: Int, of table: HyperHiveResource.Table
    ) throws(ResourceError) -> JSONText {
        func invalid(_ reason: String) -> ResourceError {
            ResourceError(.invalidParameters, "Invalid row \(index) of table parameter \(table.name): \(reason).")
        }
        if let cells = row.array {
            guard cells.count <= table.columns.count else {
                throw invalid("it has \(cells.count) cells for \(table.columns.count) columns")
            }
            guard cells.count < table.columns.count else { return row }
            return JSONText(cells + Array(repeating: .null, count: table.columns.count - cells.count))
        }
        guard let cells = row.object else { throw invalid("it is neither a list nor an object") }
        let names = Set(table.columns.map(\.name))
        if let unknown = cells.keys.sorted().first(where: { !names.contains($0) }) {
            throw invalid("the table has no column \(unknown)")
        }
        return JSONText(table.columns.map { cells[$0.name] ?? .null })
    }
}

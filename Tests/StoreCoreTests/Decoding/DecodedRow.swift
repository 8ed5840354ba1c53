import Foundation
import StoreCore
import Testing

/// Decodes a row that is made of values.
func decoded<Record: Decodable>(
    _ type: Record.Type, _ columns: KeyValuePairs<String, StoreValue>, _ coding: StoreCoding = StoreCoding()
) throws -> Record {
    try StoreRow(columnNames: columns.map(\.key), values: columns.map(\.value)).decode(type, coding: coding)
}

/// Decodes a cell of a row that is made of one value.
func decoded<Value: Decodable>(
    _ type: Value.Type, _ value: StoreValue, _ coding: StoreCoding = StoreCoding()
) throws -> Value {
    try StoreRow(columnNames: ["cell"], values: [value]).value(of: type, at: 0, coding: coding)
}

/// Expects that a row cannot be decoded.
/// - Parameter message: the message of the error.
func expectFailure<Record: Decodable>(
    _ type: Record.Type, _ columns: KeyValuePairs<String, StoreValue>, _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(throws: StoreError(.undecodable, message), sourceLocation: sourceLocation) { try decoded(type, columns) }
}

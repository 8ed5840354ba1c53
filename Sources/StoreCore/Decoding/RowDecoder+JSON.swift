import Foundation
import JSON

// A cell with JSON: the type decodes itself from its containers, which stay valid.

/// The keyed container of a JSON object.
struct KeyedJSON<Key: CodingKey>: Decodable {
    let container: KeyedDecodingContainer<Key>

    init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }
}

/// The container of a JSON array.
struct UnkeyedJSON: Decodable {
    let container: any UnkeyedDecodingContainer

    init(from decoder: any Decoder) throws { container = try decoder.unkeyedContainer() }
}

extension RowDecoder {
    /// Decodes a cell with JSON, which is a text or a blob.
    func json<Value: Decodable>(_ type: Value.Type, at column: Int) throws -> Value {
        let cell = try checkedCell(at: column, for: type)
        guard cell.kind == .text || cell.kind == .blob else {
            throw failure(.storageClass, JSON.self, cell.kind, at: column)
        }
        do { return try jsonCoding.decode(type, from: Data(cell.bytes)) } catch {
            throw failure(error, JSON.self, at: column)
        }
    }

    /// The name of the expected type in errors.
    private enum JSON {}

    private var jsonCoding: JSONCoding {
        if let jsonCoding = state.pointee.jsonCoding { return jsonCoding }
        let jsonCoding = coding.makeJSONCoding()
        state.pointee.jsonCoding = jsonCoding
        return jsonCoding
    }
}

extension Date {
    /// A date within JSON, by the rules for a cell.
    init(json decoder: any Decoder, _ coding: StoreCoding) throws {
        let container = try decoder.singleValueContainer()
        do throws(CellProblem) {
            if var text = try? container.decode(String.self) {
                self = try text.withUTF8 { bytes in
                    Result { () throws(CellProblem) in
                        try Date.decode(.text(UnsafeRawBufferPointer(bytes)), coding)
                    }
                }.get()
            } else if let number = try? container.decode(Int64.self) {
                self = try Date.decode(.integer(number), coding)
            } else if let number = try? container.decode(Double.self) {
                self = try Date.decode(.real(number), coding)
            } else {
                throw .storageClass
            }
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "Not a date."))
        }
    }
}

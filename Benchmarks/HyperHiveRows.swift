import StoreCore

/// A table of a HyperHive response, for `JSONDecoder`.
struct HyperHiveTable: Decodable {
    let insertedRows: [HyperHiveRow]

    enum CodingKeys: String, CodingKey {
        case insertedRows = "insert_rows"
    }
}

/// A row as the response has it: a list of cells.
struct HyperHiveRow: Decodable {
    let identity: Int64
    let id: Int64
    let station: Int64?
    let gain: Double?
    let level: Double?
    let label: String?
    let place: String?
    let stock: Int64?
    let note: String?

    init(from decoder: any Decoder) throws {
        var cells = try decoder.unkeyedContainer()
        func cell<Value: Decodable>() throws -> Value? { try cells.decodeIfPresent(Value.self) }
        identity = try cells.decode(Int64.self)
        id = try cells.decode(Int64.self)
        station = try cell()
        gain = try cell()
        level = try cell()
        label = try cell()
        place = try cell()
        stock = try cell()
        note = try cell()
    }

    var values: [StoreValue] {
        func integer(_ value: Int64?) -> StoreValue { value.map { .integer($0) } ?? .null }
        func real(_ value: Double?) -> StoreValue { value.map { .real($0) } ?? .null }
        func text(_ value: String?) -> StoreValue { value.map { .text($0) } ?? .null }
        return [
            .integer(identity), .integer(id), integer(station), real(gain), real(level), text(label), text(place),
            integer(stock), text(note),
        ]
    }
}

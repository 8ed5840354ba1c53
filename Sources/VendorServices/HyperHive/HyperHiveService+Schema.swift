import HTTPMessages
import Synchronization

extension HyperHiveService {
    func schema(_ exchange: Exchange) throws -> Response {
        try exchange.request.requireMethod("GET", "HEAD")
        _ = try session(of: exchange.request)
        let resources = state.withLock { $0.resources.mapValues(\.definition) }
        // The ids are the positions by name.
        let names = resources.keys.sorted()
        let entries = names.enumerated().map { ($1, resources[$1]?.schema(id: $0 + 1) ?? .null) }
        return Response(json: .object(Dictionary(entries) { first, _ in first }))
    }
}

extension HyperHiveService.Resource {
    fileprivate func schema(id: Int) -> JSONValue {
        let identity = listsIdentity && isCached ? [HyperHiveService.Column("hhive_id", .bigint)] : []
        let outputs = tables.enumerated().map { Self.table($0, $1.name, identity + $1.columns) }
        var members: [String: JSONValue] = [
            "id": .integer(Int64(id)), "name": .string(name), "type": "tabular",
            "input": [
                "scalar": .array(scalars.enumerated().map { $1.column.schema(id: $0) }),
                "tabular": .array(tableInputs.enumerated().map { Self.table($0, $1.name, $1.columns) }),
            ],
            "output": hasSingleOutput ? outputs.first ?? .null : .array(outputs),
        ]
        if let lifetime { members["lifetime"] = .string(Self.text(lifetime)) }
        return .object(members)
    }

    private static func table(_ index: Int, _ name: String, _ columns: [HyperHiveService.Column]) -> JSONValue {
        [
            "id": .integer(Int64(index + 1)), "name": .string(name),
            "columns": .array(columns.enumerated().map { $1.schema(id: $0) }),
        ]
    }

    /// A duration as `1 day, 0:00:00` or `2:30:00`.
    private static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds, days = seconds / 86_400
        func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = "\(seconds % 86_400 / 3600):\(padded(seconds % 3600 / 60)):\(padded(seconds % 60))"
        return days == 0 ? time : "\(days) day\(days == 1 ? "" : "s"), \(time)"
    }
}

extension HyperHiveService.Column {
    fileprivate func schema(id: Int) -> JSONValue {
        [
            "id": .integer(Int64(id + 1)), "name": .string(name), "type": .string(type.name),
            "source": ["name": .string(name.uppercased()), "type": .string(type.sapKind), "format": nil],
        ]
    }
}

extension HyperHiveService.ColumnType {
    /// A kind of SAP's type system that leads to this type.
    fileprivate var sapKind: String {
        switch self {
        case .text: "C"
        case .bigint: "I"
        case .double: "P"
        case .other(let name): name
        }
    }
}

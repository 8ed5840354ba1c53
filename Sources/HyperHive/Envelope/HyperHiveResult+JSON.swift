public import Foundation
import HTTPMessages
public import JSON
public import PatchbayErrors

extension HyperHiveResult {
    /// The envelope as a dictionary with the vendor's keys, as its handlers receive it.
    public var dictionary: NSDictionary {
        NSDictionary(dictionary: json.foundationObject as? [String: Any] ?? [:])
    }

    /// The envelope as JSON text, as the vendor's `query` returns it. The rows of a query are written as they are.
    public var text: String {
        guard let database, let records = database.records else { return json.description }
        // Rows may be many: they are JSON already, and are not parsed again.
        let head = json(withRecords: false).description.dropLast()
        let members = json(of: database, withRecords: false).description.dropLast()
        let rows = String(decoding: records, as: UTF8.self)
        return "\(head),\"result\":{\"database\":\(members),\"records\":\(rows)}}}"
    }

    /// The envelope as JSON.
    public var json: JSONValue { json(withRecords: true) }

    /// - Parameter withRecords: false leaves out the result of a query.
    private func json(withRecords: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "status": .string(status.rawValue), "request": request.json, "retryCount": .integer(Int64(retryCount)),
            "errors": .array(errors.map(\.json)),
        ]
        members["http"] = response?.json
        var result: [String: JSONValue] = [:]
        result["database"] = database.map { json(of: $0, withRecords: withRecords) }
        result["raw"] = raw
        if withRecords, !result.isEmpty { members["result"] = .object(result) }
        return .object(members)
    }

    private func json(of database: Database, withRecords: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(database.name), "key": .string(Redaction.placeholder),
        ]
        members["changes"] = database.updated.map { .object(["updated": .integer(Int64($0))]) }
        if withRecords { members["records"] = database.records.flatMap { try? JSONValue(parsing: $0) } }
        return .object(members)
    }
}

extension HyperHiveResult.Failure {
    fileprivate var json: JSONValue {
        .object([
            "code": .integer(Int64(code)), "source": .string(source.rawValue), "description": .string(description),
            "descriptions": .array([.string(description)]),
        ])
    }
}

extension HyperHiveResult.Response {
    fileprivate var json: JSONValue {
        .object([
            "status": .integer(Int64(status)), "bytesDownloaded": .integer(bytesDownloaded),
            "bytesUploaded": .integer(bytesUploaded), "headers": .object(headers.mapValues { .string($0) }),
        ])
    }
}

extension HyperHiveResult: RedactedStringConvertible {
    /// Status, call and errors; no rows.
    public var description: String {
        let failures = errors.map { "\($0.source.rawValue) \($0.code): \($0.description)" }
        return (["\(request.type): \(status.rawValue)"] + failures).joined(separator: "; ")
    }
}

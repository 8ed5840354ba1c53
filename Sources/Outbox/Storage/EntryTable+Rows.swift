import Foundation
import HTTPMessages
import StoreCore

extension EntryTable {
    /// All columns but those of the body, then those of the body.
    static let columns = """
        number, idempotencyKey, userName, entryKey, name, phase, created, expires, due, attempts, doubt, sender, \
        failure, failureText, failureStatus, failureBody, method, url, origin, fields, priority, file, fileStart, \
        fileEnd, isOwned, resolutions
        """

    /// Reads a row of ``columns``, and with `hasBody` of the column `body` after them.
    static func row(_ row: borrowing StoreRow, hasBody: Bool) -> EntryRow {
        var failure: OutboxFailure?
        if let reason = row.text(at: 12) {
            failure = OutboxFailure(
                OutboxFailure.Reason(rawValue: reason) ?? .noResponse, row.text(at: 13) ?? "",
                status: row.int64(at: 14).flatMap { HTTPStatus(Int($0)) }, body: row.blob(at: 15) ?? Data())
        }
        var body = StoredRequest.Body.none
        if let path = row.text(at: 21), let start = row.int64(at: 22), let end = row.int64(at: 23), start <= end {
            body = .file(path: path, range: start..<end, isOwned: row.int64(at: 24) == 1)
        } else if hasBody, let bytes = row.blob(at: 26) {
            body = .bytes(bytes)
        }
        return EntryRow(
            number: row.int64(at: 0) ?? 0, idempotencyKey: row.text(at: 1) ?? "", user: row.text(at: 2) ?? "",
            key: row.text(at: 3), name: row.text(at: 4) ?? "",
            // A phase of a damaged row: it stays visible, and is not sent.
            phase: row.int64(at: 5).flatMap(EntryRow.Phase.init) ?? .failed, created: row.int64(at: 6) ?? 0,
            expires: row.int64(at: 7), due: row.int64(at: 8), attempts: row.int64(at: 9) ?? 0,
            doubt: row.int64(at: 10) ?? 0, sender: row.text(at: 11), failure: failure,
            request: StoredRequest(
                method: row.text(at: 16) ?? "", url: row.text(at: 17) ?? "", origin: row.text(at: 18) ?? "",
                fields: row.text(at: 19) ?? "", body: body, priority: Int(row.int64(at: 20) ?? 0)),
            resolutions: row.int64(at: 25) ?? 0)
    }

    /// The values of ``columns`` and `body`, without the number.
    static func values(of row: EntryRow) -> [StoreValue] {
        func text(_ text: String?) -> StoreValue { text.map { .text($0) } ?? .null }
        func integer(_ number: Int64?) -> StoreValue { number.map { .integer($0) } ?? .null }
        let failure = row.failure
        let body: [StoreValue] =
            switch row.request.body {
            case .none: [.null, .null, .null, .null, .null]
            case .bytes(let data): [.null, .null, .null, .null, .blob(data)]
            case .file(let path, let range, let isOwned):
                [
                    .text(path), .integer(range.lowerBound), .integer(range.upperBound), .integer(isOwned ? 1 : 0),
                    .null,
                ]
            }
        return [
            .text(row.idempotencyKey), .text(row.user), text(row.key), .text(row.name), .integer(row.phase.rawValue),
            .integer(row.created), integer(row.expires), integer(row.due), .integer(row.attempts), .integer(row.doubt),
            text(row.sender), text(failure?.reason.rawValue), text(failure?.message),
            integer(failure?.status.map { Int64($0.code) }), failure.map { .blob($0.body) } ?? .null,
            .text(row.request.method), .text(row.request.url), .text(row.request.origin), .text(row.request.fields),
            .integer(Int64(row.request.priority)),
        ] + body.dropLast() + [.integer(row.resolutions)] + body.suffix(1)
    }
}

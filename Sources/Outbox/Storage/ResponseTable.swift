import Foundation
import HTTPMessages
import StoreCore

/// The table `patchbay_outbox_responses` of responses that the app has not acknowledged.
struct ResponseTable: Sendable {
    static let name = SQLIdentifier(SQLIdentifier.reservedPrefix + "outbox_responses")

    let store: any LocalStore

    func create() throws {
        try store.execute(
            """
            CREATE TABLE \(Self.name) (number INTEGER PRIMARY KEY, entry INTEGER NOT NULL, idempotencyKey TEXT NOT NULL,
            userName TEXT NOT NULL, entryKey TEXT, name TEXT NOT NULL, status INTEGER NOT NULL, url TEXT NOT NULL,
            fields TEXT NOT NULL, body BLOB NOT NULL, isTruncated INTEGER NOT NULL, received INTEGER NOT NULL)
            """)
    }

    /// Keeps the response to an entry.
    /// - Parameter number: larger than that of all earlier ones, also of those that are acknowledged.
    func insert(
        _ response: HTTPResponse, number: Int64, to row: EntryRow, isTruncated: Bool, now: Int64, _ rule: SecretRule
    ) throws {
        try store.execute(
            "INSERT INTO \(Self.name.quoted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(number), .integer(row.number),
                .text(row.idempotencyKey), .text(row.user), row.key.map { .text($0) } ?? .null,
                .text(row.name), .integer(Int64(response.status.code)),
                .text(rule.publicURL(response.url)), .text(rule.publicFields(response.fields).stored),
                .blob(response.body),
                .integer(isTruncated ? 1 : 0), .integer(now),
            ])
    }

    /// The responses of users after a number, the oldest first, that were received at a time or later.
    static func responses(
        of users: [String], after number: Int64, since time: Int64, limit: Int, in reader: borrowing StoreReader
    ) throws -> [OutboxResponse] {
        var responses: [OutboxResponse] = []
        let places = users.map { _ in "?" }.joined(separator: ", ")
        try reader.query(
            """
            SELECT number, entry, idempotencyKey, userName, entryKey, name, status, url, fields, body, isTruncated \
            FROM \(name.quoted) WHERE number > ? AND received >= ? AND userName IN (\(places)) ORDER BY number LIMIT ?
            """, [.integer(number), .integer(time)] + users.map { .text($0) } + [.integer(Int64(limit))]
        ) { row in
            responses.append(OutboxResponse(row))
            return true
        }
        return responses
    }

    /// Removes an acknowledged response.
    func remove(_ response: OutboxResponse) throws {
        try store.execute(
            "DELETE FROM \(Self.name.quoted) WHERE number = ? AND idempotencyKey = ?",
            [.integer(response.number), .text(response.id.idempotencyKey)])
    }

    /// Removes the responses that were received before a time.
    func removeAll(before time: Int64) throws {
        try store.execute("DELETE FROM \(Self.name.quoted) WHERE received < ?", [.integer(time)])
    }

    func removeAll(of user: String) throws {
        try store.execute("DELETE FROM \(Self.name.quoted) WHERE userName = ?", [.text(user)])
    }
}

extension OutboxResponse {
    fileprivate init(_ row: borrowing StoreRow) {
        // A damaged row keeps what can be read.
        let fields = (try? HTTPFields(stored: row.text(at: 8) ?? "")) ?? HTTPFields()
        let user = row.text(at: 3) ?? ""
        self.init(
            id: OutboxEntry.ID(number: row.int64(at: 1) ?? 0, idempotencyKey: row.text(at: 2) ?? ""),
            key: row.text(at: 4), name: row.text(at: 5) ?? "", user: user.isEmpty ? nil : user,
            response: HTTPResponse(
                status: HTTPStatus(Int(row.int64(at: 6) ?? 0)) ?? .ok, fields: fields, body: row.blob(at: 9) ?? Data(),
                url: URL(string: row.text(at: 7) ?? "") ?? URL(filePath: "/")),
            isTruncated: row.int64(at: 10) == 1, number: row.int64(at: 0) ?? 0)
    }
}

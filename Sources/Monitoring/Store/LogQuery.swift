public import Foundation
import StoreCore

/// Which calls of a ``LogStore`` are found: those that meet all conditions.
public struct LogQuery: Hashable, Sendable {
    /// A text in the URL, the error, the fields or the bodies, in any case; nil for any call.
    public var text: String?
    /// The method.
    public var method: String?
    /// The statuses.
    public var statuses: ClosedRange<Int>?
    /// Whether only calls with an error or a status of 400 or more are found.
    public var failedOnly: Bool
    /// The shortest duration.
    public var minimumDuration: Duration?
    /// The earliest start.
    public var since: Date?
    /// The most calls; default 100.
    public var limit: Int

    /// Creates conditions.
    public init(
        text: String? = nil, method: String? = nil, statuses: ClosedRange<Int>? = nil, failedOnly: Bool = false,
        minimumDuration: Duration? = nil, since: Date? = nil, limit: Int = 100
    ) {
        self.text = text
        self.method = method
        self.statuses = statuses
        self.failedOnly = failedOnly
        self.minimumDuration = minimumDuration
        self.since = since
        self.limit = limit
    }

    var statement: (text: String, parameters: [StoreValue]) {
        var (terms, parameters): ([String], [StoreValue]) = ([], [])
        if let text {
            let columns = ["url", "error", "requestFields", "responseFields", "requestBody", "responseBody"]
            terms.append(
                "(" + columns.map { "instr(lower(coalesce(\($0), '')), lower(?)) > 0" }.joined(separator: " OR ") + ")")
            parameters += columns.map { _ in .text(text) }
        }
        if let method {
            terms.append("method = ?")
            parameters.append(.text(method))
        }
        if let statuses {
            terms.append("status BETWEEN ? AND ?")
            parameters += [.integer(Int64(statuses.lowerBound)), .integer(Int64(statuses.upperBound))]
        }
        if failedOnly { terms.append("(error IS NOT NULL OR status >= 400)") }
        if let minimumDuration {
            terms.append("duration >= ?")
            parameters.append(.real(minimumDuration.timeInterval))
        }
        if let since {
            terms.append("date >= ?")
            parameters.append(.real(since.timeIntervalSince1970))
        }
        let condition = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
        return (
            "SELECT * FROM call_log\(condition) ORDER BY sequence DESC LIMIT ?",
            parameters + [.integer(Int64(max(0, limit)))]
        )
    }
}

extension LogStore {
    /// The calls that meet the conditions, latest first.
    ///
    /// Texts are compared without regard to the case of ASCII letters.
    /// - Throws: `StoreError`.
    public func search(_ query: LogQuery = LogQuery()) throws -> [LoggedCall] {
        let statement = query.statement
        return try store.rows(as: LoggedCall.self, SQL(verbatim: statement.text, statement.parameters))
    }

    /// The events of a call, in order.
    /// - Throws: `StoreError`.
    public func events(of call: LoggedCall) throws -> [LoggedEvent] {
        try store.rows(
            as: LoggedEvent.self, "SELECT * FROM call_log_event WHERE sequence = \(call.sequence) ORDER BY number")
    }
}

import Foundation
import SystemLibraries
import TestSupport
import Testing

@testable import LocalStore

/// SQLite's own sqllogictest scripts. SQL outside of `MemoryStore`'s is refused, and not counted.
@Suite struct SQLLogicTests {
    private static let archive = "sqllogictest-subset.tar.xz"
    /// Distance between the queries that are run; `PATCHBAY_ALL_QUERIES` runs all.
    private static let stride = ProcessInfo.processInfo.environment["PATCHBAY_ALL_QUERIES"] == nil ? 10 : 1
    /// Least number of queries to compare, of about 23,000 with the stride.
    private static let minimumCompared = 18_000
    /// Results of older versions, which SQLite 3.40 does not give either.
    private static let stale: [String: Set<Int>] = ["slt_lang_aggfunc.test": [480, 484, 491, 496]]

    /// The results of a script.
    private struct Outcome {
        var compared = 0
        var mismatches: [String] = []
    }

    @Test(.enabled(if: Corpora.canUnpack(archive), "the sqllogictest corpus, tar or xz is not here"))
    func `results match the scripts`() async throws {
        var compared = 0
        for (path, data) in try await Corpora.unpackByPath(Self.archive) where path.hasSuffix(".test") {
            let outcome = try run(SQLLogicScript(data), path)
            compared += outcome.compared
            #expect(outcome.mismatches.isEmpty, "\(path): \(outcome.mismatches.prefix(5).joined(separator: "\n"))")
        }
        #expect(compared >= Self.minimumCompared / Self.stride * 10, "compared \(compared)")
    }

    private func run(_ script: SQLLogicScript, _ path: String) throws -> Outcome {
        let store = MemoryStore()
        let stale = Self.stale.first { path.hasSuffix($0.key) }?.value ?? []
        var outcome = Outcome()
        // After a refused CREATE, later statements may fail that should not.
        var isComplete = true
        var queryCount = 0
        for (line, record) in script.records {
            switch record {
            case .statement(let sql, let fails):
                let code = code { _ = try store.execute(sql, []) }
                if code == .unsupportedSQL || code == .misuse { isComplete = false }
                if isComplete, (code != nil) != fails { outcome.mismatches.append("line \(line): \(sql.prefix(200))") }
            case .query(let sql, let types, let sorting, let expected):
                queryCount += 1
                guard queryCount.isMultiple(of: Self.stride), !stale.contains(line), !stale.contains(line + 1) else {
                    continue
                }
                var values: [String] = []
                let code = code { values = try self.values(of: sql, types, sorting, store) }
                if code == .unsupportedSQL || code == .noSuchTable && !isComplete { continue }
                outcome.compared += 1
                let isEqual = try code == nil && Self.matches(values, expected)
                if !isEqual { outcome.mismatches.append("line \(line): \(sql.prefix(200)): \(values.prefix(8))") }
            }
        }
        return outcome
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code ?? .failed
        }
    }

    // MARK: Values

    private func values(
        of sql: String, _ types: [Character], _ sorting: SQLLogicScript.Sorting, _ store: MemoryStore
    ) throws -> [String] {
        var rows: [[String]] = []
        try store.query(sql, []) { row in
            rows.append(zip(types, row.values).map { Self.text($1, $0) })
            return true
        }
        switch sorting {
        case .none: break
        case .rows: rows.sort { $0.lexicographicallyPrecedes($1, by: Self.precedes) }
        case .values: return rows.flatMap { $0 }.sorted(by: Self.precedes)
        }
        return rows.flatMap { $0 }
    }

    /// Bytewise, as `strcmp`.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func text(_ value: StoreValue, _ type: Character) -> String {
        let value = SQLValue(value)
        if value.isNull { return "NULL" }
        switch type {
        case "I": return "\(Int32(truncatingIfNeeded: value.integerValue))"
        case "R": return String(format: "%.3f", value.realValue)
        default:
            let bytes = value.textValue ?? []
            if bytes.isEmpty { return "(empty)" }
            let shown = bytes.map { (32...126).contains($0) ? $0 : UInt8(ascii: "@") }
            return String(decoding: shown, as: UTF8.self)
        }
    }

    private static func matches(_ values: [String], _ expected: [String]) throws -> Bool {
        let words = expected.first?.split(separator: " ") ?? []
        guard words.dropFirst().joined(separator: " ").hasPrefix("values hashing to ") else {
            return values == expected
        }
        let digest = MessageDigest(.md5)
        for value in values { digest.update(Array((value + "\n").utf8)) }
        let text = try digest.finish().map { String(format: "%02x", $0) }.joined()
        return Int(words[0]) == values.count && words.last.map(String.init) == text
    }
}

import Testing

@testable import StoreCore

@Suite struct MigrationHistoryTests {
    struct Row: CustomTestStringConvertible {
        let steps: [String]
        let applied: [String]
        /// The number of applied steps, or the parts of the error's message.
        let outcome: Result<Int, Parts>
        struct Parts: Error { let texts: [String] }

        init(_ steps: [String], _ applied: [String], _ count: Int) {
            (self.steps, self.applied, outcome) = (steps, applied, .success(count))
        }
        init(_ steps: [String], _ applied: [String], failing texts: String...) {
            (self.steps, self.applied, outcome) = (steps, applied, .failure(Parts(texts: texts)))
        }
        var testDescription: String { "\(steps) on \(applied)" }
    }

    static let rows: [Row] = [
        Row([], [], 0),
        Row(["a", "b"], [], 0),
        Row(["a", "b"], ["a"], 1),
        Row(["a", "b"], ["a", "b"], 2),
        // A newer app has used the store.
        Row([], ["a"], failing: "newer than the app", "\"a\"", "update the app"),
        Row(["a", "b"], ["a", "b", "c", "d"], failing: "newer than the app", "\"c\""),
        // Renamed, in the middle and at the end.
        Row(["a", "B", "c"], ["a", "b", "c"], failing: "renamed or removed", "step 2", "\"b\"", "\"B\""),
        Row(["a", "B"], ["a", "b"], failing: "renamed or removed", "step 2", "\"b\"", "\"B\""),
        // Removed.
        Row(["b", "c"], ["a", "b"], failing: "renamed or removed", "step 1", "\"a\"", "\"b\""),
        // Reordered, and a new step before the end.
        Row(["b", "a"], ["a", "b"], failing: "Order of steps changed", "step 1", "\"a\"", "\"b\""),
        Row(["a", "new", "b"], ["a", "b"], failing: "Order of steps changed", "step 2", "\"b\"", "\"new\""),
        // Names differ in case and in Unicode form.
        Row(["A"], ["a"], failing: "renamed or removed"),
    ]

    @Test(arguments: rows) func `applied steps must be the first ones`(row: Row) throws {
        let history = try MigrationHistory(steps: row.steps)
        switch row.outcome {
        case .success(let count): #expect(try history.appliedCount(of: row.applied) == count)
        case .failure(let parts):
            let error = #expect(throws: StoreError.self) { try history.appliedCount(of: row.applied) }
            #expect(error?.code == .migration)
            for text in parts.texts {
                #expect(error?.message.contains(text) == true, "\(text): \(error?.message ?? "")")
            }
        }
    }

    @Test func `names of steps are unique`() throws {
        let error = #expect(throws: StoreError.self) { try MigrationHistory(steps: ["a", "b", "a"]) }
        #expect(error?.code == .invalidArgument && error?.message.contains("\"a\"") == true)
    }

    @Test func `the last step to run must exist`() throws {
        let history = try MigrationHistory(steps: ["a", "b", "c"])
        #expect(try history.goal(upTo: nil) == 3)
        #expect(try history.goal(upTo: "b") == 2)
        let error = #expect(throws: StoreError.self) { try history.goal(upTo: "d") }
        #expect(error?.code == .invalidArgument && error?.message.contains("\"d\"") == true)
    }
}

import Foundation
import StoreTestSupport
import TestSupport
import Testing

/// Random edits, deltas, full loads, sends whose responses are late or lost, conflicts, and interruptions, against a
/// model of the server.
///
/// `PATCHBAY_EDIT_RUNS` sets the number of runs; the default is 20 for each kind. `PATCHBAY_EDIT_SEED` is the seed of
/// the first one; the default is 0. A run that fails is shown with the fewest steps that still fail.
@Suite(.needsSlot) struct PendingEditsModelTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["PATCHBAY_EDIT_SEED"].flatMap(UInt64.init) ?? 0
    private static let runs = environment["PATCHBAY_EDIT_RUNS"].flatMap(UInt64.init) ?? 20

    @Test(arguments: [StoreSubject.memory, .sqliteInMemory], EditRun.Kind.allCases)
    func `an unsent edit is always seen, and at the end the app has what the server has`(
        kind: StoreSubject, run: EditRun.Kind
    ) throws {
        for seed in Self.first..<(Self.first + Self.runs) {
            let found = try Self.failure(kind, EditRun.Plan(run, seed: seed))
            guard let found else { continue }
            let shortest = try Self.shortest(kind, found.plan, found)
            Issue.record("seed \(seed), \(run): \(shortest.description)")
        }
    }

    /// A run that has failed.
    private struct Failure {
        let plan: EditRun.Plan
        let description: String
    }

    /// Nil if the run passes.
    private static func failure(_ kind: StoreSubject, _ plan: EditRun.Plan) throws -> Failure? {
        var failure: Failure?
        try DeltaFixture.run(kind) { fixture in
            let run = try EditRun(fixture, plan)
            do {
                try run.run()
            } catch {
                failure = Failure(
                    plan: run.plan, description: (["\(error)"] + run.log).joined(separator: "\n"))
            }
        }
        return failure
    }

    /// Leaves out each step without which the run still fails.
    private static func shortest(_ kind: StoreSubject, _ plan: EditRun.Plan, _ found: Failure) throws -> Failure {
        var (shortest, isShorter) = (found, true)
        while isShorter {
            isShorter = false
            for step in shortest.plan.steps.indices.reversed() {
                var plan = shortest.plan
                plan.steps.remove(at: step)
                guard let failure = try failure(kind, plan) else { continue }
                (shortest, isShorter) = (failure, true)
            }
        }
        return shortest
    }
}

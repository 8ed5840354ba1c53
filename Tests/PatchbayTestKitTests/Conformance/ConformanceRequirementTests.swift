import HTTPMessages
import TestSupport
import Testing
import Transport

@testable import PatchbayTestKit

@Suite(.needsSlot) struct ConformanceRequirementTests {
    private static let fails = ConformanceCase("a case that fails") { _ in throw ConformanceFailure("it is blue") }
    private static let passes = ConformanceCase("a case that passes") { _ in }
    private static let isNeverRun = ConformanceCase("a case that ends the process", needs: [.faults]) { _ in
        Issue.record("It was run.")
    }

    private func subject(_ exclusions: [String: ConformanceExclusion] = [:]) -> ConformanceSubject {
        ConformanceSubject(inProcess: "Subject", exclusions: exclusions) { ScriptedTransport($0) }
    }

    @Test func `passes or fails`() async throws {
        #expect(try await Self.passes.check(subject()) == .passed)
        let failure = await #expect(throws: ConformanceFailure.self) { try await Self.fails.check(subject()) }
        #expect("\(try #require(failure))" == "Subject: \"a case that fails\": it is blue")
        #expect(failure?.caseName == "a case that fails" && failure?.subject == "Subject")
    }

    @Test func `does not apply without a needed capability`() async throws {
        let wire = ConformanceCase("wire", needs: [.socket]) { _ in Issue.record("It was run.") }
        #expect(try await wire.check(subject()) == .notApplicable("requires a socket"))
        let quiet = ConformanceSubject(inProcess: "Quiet", passesErrors: false) { ServiceTransport($0) }
        #expect(try await Self.isNeverRun.check(quiet) == .notApplicable("requires faults"))
    }

    @Test func `an excluded case must fail`() async throws {
        let subject = subject([
            "a case that fails": "blue", "a case that passes": "green",
            "a case that ends the process": .endsProcess("red"),
        ])
        #expect(try await Self.fails.check(subject) == .excluded("blue"))
        #expect(try await Self.isNeverRun.check(subject) == .excluded("red"))
        let hanging = self.subject(["a case that ends the process": .hangs("late")])
        #expect(try await Self.isNeverRun.check(hanging) == .excluded("late"))
        let failure = await #expect(throws: ConformanceFailure.self) { try await Self.passes.check(subject) }
        #expect(failure?.message == "passes; remove its exclusion: green")
    }

    @Test func `a hanging case times out, and any other error is a failure`() async throws {
        let hangs = ConformanceCase("hangs") { _ in try await Gate().wait() }
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await hangs.check(subject(), within: .milliseconds(50))
        }
        #expect(failure?.message == "timed out after 0.05 seconds")
        let strange = ConformanceCase("strange") { _ in throw LoopbackError(.connectionLost, "Gone.") }
        let other = await #expect(throws: ConformanceFailure.self) { try await strange.check(subject()) }
        #expect(other?.message == "threw Gone. [connectionLost]")
    }

    @Test func `ends when its task is cancelled`() async throws {
        let begun = Gate()
        let hangs = ConformanceCase("hangs") { _ in
            begun.open()
            try await Gate().wait()
        }
        let task = Task { try await hangs.check(subject(["hangs": "as it should"])) }
        try await begun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `names are unique, and exclusions must name a case`() async throws {
        try await expectSuite(of: TransportConformance.cases, excluding: "GET arrives unchanged", subject: subject)
    }
}

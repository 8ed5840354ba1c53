import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct RunningWorkTests {
    private final class Subject: Sendable {}

    @Test func `the task of a work and those that it starts are within it, until it has finished`() async throws {
        let (subject, other, gate) = (Subject(), Subject(), Gate())
        #expect(!RunningWork.isCurrent(of: subject))
        let outliving = await RunningWork.run(for: subject) {
            #expect(RunningWork.isCurrent && RunningWork.isCurrent(of: subject) && !RunningWork.isCurrent(of: other))
            #expect(await Task { RunningWork.isCurrent(of: subject) }.value)
            return Task {
                try await gate.wait()
                return RunningWork.isCurrent || RunningWork.isCurrent(of: subject)
            }
        }
        gate.open()
        #expect(try await outliving.value == false)
    }

    @Test func `works nest, and the innermost context of a type counts`() async {
        let (outer, inner) = (Subject(), Subject())
        await RunningWork.run(for: outer, context: "outer") {
            await RunningWork.run(for: inner, context: 1) {
                #expect(RunningWork.isCurrent(of: outer) && RunningWork.isCurrent(of: inner))
                #expect(RunningWork.context(String.self) == "outer" && RunningWork.context(Int.self) == 1)
                await RunningWork.run(for: inner, context: "inner") {
                    #expect(RunningWork.context(String.self) == "inner")
                }
            }
            #expect(RunningWork.context(Int.self) == nil && !RunningWork.isCurrent(of: inner))
        }
    }

    @Test func `calls of a question's callback belong to the work that asks, other callbacks to none`() async {
        let (subject, topic) = (Subject(), Subject())
        await RunningWork.run(for: subject, context: "refresh") {
            let question = RunningWork.question(about: topic)
            #expect(!RunningWork.isCurrent(of: topic))
            question.perform {
                #expect(RunningWork.isCurrent(of: subject) && RunningWork.isCurrent(of: topic))
                #expect(RunningWork.context(String.self) == nil)
                question.finish()
                #expect(!RunningWork.isCurrent(of: subject) && !RunningWork.isCurrent(of: topic))
            }
            RunningWork.leave { #expect(!RunningWork.isCurrent(of: subject)) }
        }
    }
}

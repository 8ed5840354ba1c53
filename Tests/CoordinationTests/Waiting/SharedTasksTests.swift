import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct SharedTasksTests {
    private struct Broken: Error {}

    @Test func `calls at the same time share the work and its context`() async throws {
        let tasks = SharedTasks<String, Recorder, Int>()
        let gate = Gate()
        let runs = Watched(0)
        let joined = Watched<[ObjectIdentifier]>([])
        let newCount = Watched(0)
        let calls = (0..<5).map { _ in
            Task {
                try await tasks.value(for: "x", sharing: Recorder()) { context, isNew in
                    joined.update { $0.append(ObjectIdentifier(context)) }
                    if isNew { newCount.update { $0 += 1 } }
                } _: { _ in
                    runs.update { $0 += 1 }
                    try await gate.wait()
                    return 7
                }
            }
        }
        try await eventually("the calls wait") { tasks.waiterCount == 5 }
        #expect(tasks.count == 1 && tasks.isInFlight("x") && !tasks.isInFlight("y"))
        gate.open()
        for call in calls { #expect(try await call.value == 7) }
        #expect(runs.value == 1 && Set(joined.value).count == 1 && newCount.value == 1)
        #expect(tasks.count == 0 && tasks.waiterCount == 0)
    }

    private final class Recorder: Sendable {}

    @Test func `the error reaches all calls, and nothing is kept`() async throws {
        let tasks = SharedTasks<Int, Void, Int>()
        for _ in 0..<2 {
            let gate = Gate()
            let calls = (0..<3).map { _ in
                Task {
                    try await tasks.value(for: 1) { () async throws -> Int in
                        try await gate.wait()
                        throw Broken()
                    }
                }
            }
            try await eventually("the calls wait") { tasks.waiterCount == 3 }
            gate.open()
            for call in calls { await #expect(throws: Broken.self) { try await call.value } }
        }
        #expect(try await tasks.value(for: 1) { 3 } == 3)
    }

    @Test func `cancelling a call ends its wait at once, and the work with the last one`() async throws {
        let tasks = SharedTasks<Int, Void, Int>()
        let (started, ended) = (Gate(), Gate())
        let calls = (0..<2).map { _ in
            Task {
                try await tasks.value(for: 1) {
                    started.open()
                    // Ignores the cancellation until it is told.
                    while !Task.isCancelled { await Task.yield() }
                    try? await ended.wait()
                    return 1
                }
            }
        }
        try await eventually("the calls wait") { tasks.waiterCount == 2 }
        try await started.wait()
        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        #expect(tasks.waiterCount == 1 && tasks.count == 1)
        calls[1].cancel()
        await #expect(throws: CancellationError.self) { try await calls[1].value }
        #expect(tasks.count == 0)
        ended.open()
        // A call that is cancelled already starts nothing.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await tasks.value(for: 2) { 2 }
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(tasks.count == 0)
    }

    @Test func `detached work completes for its waiters, and later calls start their own`() async throws {
        let tasks = SharedTasks<Int, Void, String>()
        let gate = Gate()
        let early = Task {
            try await tasks.value(for: 1) {
                try await gate.wait()
                return "early"
            }
        }
        try await eventually("the calls wait") { tasks.waiterCount == 1 }
        tasks.detach(1)
        #expect(try await tasks.value(for: 1) { "late" } == "late")
        gate.open()
        #expect(try await early.value == "early")
    }
}

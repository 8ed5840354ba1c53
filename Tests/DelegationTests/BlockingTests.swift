import Coordination
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsAllSlots) struct BlockingTests {
    private actor Counter {
        private(set) var count = 0
        func add() -> Int {
            count += 1
            return count
        }
    }
    private enum Local { @TaskLocal static var value = 0 }

    private static let clock = AnyMonotonicClock(ContinuousClock())

    /// Calls `Blocking.run` from a task, which blocks its thread, as these tests intend.
    private static func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        try Blocking.run(work)
    }

    /// Work that sleeps, hops to an actor, and has children.
    private static func work(_ counter: Counter) async throws -> Int {
        try await clock.sleep(until: clock.now + .milliseconds(5))
        _ = await counter.add()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...3 {
                group.addTask {
                    try await clock.sleep(until: clock.now + .milliseconds(1))
                    return number
                }
            }
            return try await group.reduce(0, +)
        }
        async let child = counter.add()
        return await child > 0 ? sum : 0
    }

    @Test func `200 concurrent calls from tasks`() async throws {
        let counter = Counter()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { try Self.wait { try await Self.work(counter) } } }
            for try await sum in group { #expect(sum == 6) }
        }
        #expect(await counter.count == 400)
    }

    @Test func `nested calls`() async throws {
        let counter = Counter()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try Self.wait {
                        let inner = try Self.wait {
                            try Self.wait { try await Self.work(counter) } + (try await Self.work(counter))
                        }
                        return inner + (try await Self.work(counter))
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 20 * 18)
    }

    @Test func `calls from a queue and from a thread`() async throws {
        let counter = Counter()
        let once = ExactlyOnce<Int>()
        DispatchQueue(label: "test").async {
            once.end(Result { try Self.wait { try await Self.work(counter) } }.outcome)
        }
        guard case .success(6) = try await once.outcome else { throw URLError(.unknown) }
        let other = ExactlyOnce<Int>()
        Thread.detachNewThread { other.end(Result { try Self.wait { try await Self.work(counter) } }.outcome) }
        guard case .success(6) = try await other.outcome else { throw URLError(.unknown) }
    }

    @Test func `rethrows the errors of the work`() {
        let error = #expect(throws: URLError.self) { try Self.wait { throw URLError(.badURL) } }
        #expect(error?.code == .badURL)
    }

    @Test func `work in a cancelled task starts cancelled`() async throws {
        let begin = Gate()
        let task = Task {
            try? await begin.wait()
            return try Self.wait {
                try await Gate().wait()
                return 1
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the calling task is unchanged afterwards`() async throws {
        let task = Task {
            try Local.$value.withValue(7) {
                let inside = try Self.wait { Local.value }
                return (inside, Local.value, Task.isCancelled, withUnsafeCurrentTask { $0 != nil })
            }
        }
        let (inside, after, isCancelled, hasTask) = try await task.value
        #expect(inside == 7 && after == 7 && !isCancelled && hasTask)
        // Suspending still works there.
        let suspended = Task {
            _ = try Self.wait { 1 }
            await Task.yield()
            return try Self.wait { 2 }
        }
        #expect(try await suspended.value == 2)
    }

    // Ordinary tasks must not use it at the same time: they could wait in the pool, whose threads the callers block.
    @Test func `concurrent calls can share an actor`() async throws {
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    for _ in 0..<20 { _ = try Self.wait { await counter.add() } }
                }
            }
            try await group.waitForAll()
        }
        #expect(await counter.count == 2000)
    }

    @Test func `requests over the network, with streams and deadlines, while every pool thread is blocked`()
        async throws
    {
        let server = try LoopbackServer(script: { request in
            request.target == "/stall"
                ? [.stall] : [.respond(with: ClosureService { $0.response(body: try await $0.body.collect()) })]
        })
        try await server.stopping(after: { server in
            let transport = URLSessionTransport()
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<60 {
                    let stalls = number.isMultiple(of: 3)
                    let timeouts = Timeouts(response: nil, idle: nil, total: stalls ? .milliseconds(100) : nil)
                    let stream = AsyncStream<Data> { continuation in
                        continuation.yield(Data("body".utf8))
                        continuation.finish()
                    }
                    let request = try HTTPRequest(
                        .post, server.url(of: stalls ? "/stall" : "/"), body: .stream(stream),
                        options: RequestOptions(timeouts: timeouts))
                    group.addTask {
                        do {
                            return String(
                                decoding: try Self.wait { try await transport.send(request) }.body, as: UTF8.self)
                        } catch let error as TransportError {
                            return error.code.description
                        }
                    }
                }
                var counts: [String: Int] = [:]
                for try await outcome in group { counts[outcome, default: 0] += 1 }
                #expect(counts == ["body": 40, "timedOut": 20])
            }
        })
    }
}

extension Result where Failure == any Error, Success: Sendable {
    var outcome: ExactlyOnce<Success>.Outcome {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }
}

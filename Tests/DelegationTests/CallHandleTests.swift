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

@Suite(.needsSlot) struct CallHandleTests {
    private static func end(_ once: ExactlyOnce<Int>) -> @Sendable (Result<Int, any Error>) -> Void {
        { result in
            switch result {
            case .success(let value): once.succeed(value)
            case .failure(let error as TransportError) where error.code == .cancelled: once.cancel()
            case .failure(is CancellationError): once.cancel()
            case .failure(let error): once.fail(error)
            }
        }
    }

    @Test func `success completes once`() async throws {
        let once = ExactlyOnce<Int>()
        let handle = CallHandle.start(delivery: .inline, { 7 }, completion: Self.end(once))
        await handle.wait()
        handle.cancel()
        try once.check()
        guard case .success(7) = try await once.outcome else { throw URLError(.unknown) }
    }

    @Test func `calls on a serial executor begin in the order in which they are started`() async {
        let executor = WorkerThreads(count: 1, name: "test")
        let begun = Mutex<[Int]>([])
        let handles = (0..<500).map { number in
            CallHandle.start(
                delivery: .inline, executor: executor, { begun.withLock { $0.append(number) } }, completion: { _ in })
        }
        for handle in handles { await handle.wait() }
        #expect(begun.withLock(\.self) == Array(0..<500))
    }

    @Test func `failure completes once`() async throws {
        let once = ExactlyOnce<Int>()
        let queue = DispatchQueue(label: "test")
        let handle = CallHandle.start(delivery: .queue(queue), { throw URLError(.badURL) }, completion: Self.end(once))
        guard case .failure(let error as URLError) = try await once.outcome else { throw URLError(.unknown) }
        #expect(error.code == .badURL)
        await handle.wait()
        try once.check()
    }

    @Test func `cancellation completes once, at any time`() async throws {
        for round in 0..<50 { try await cancel(after: round) }
    }

    private func cancel(after round: Int) async throws {
        let once = ExactlyOnce<Int>()
        let transport = FakeTransport { request in
            try await Gate().wait()
            return request.response()
        }
        let handle = CallHandle.start(
            delivery: .inline, { try await transport.send(HTTPRequest(.get, "http://host/")).status.code },
            completion: Self.end(once))
        for _ in 0..<round { await Task.yield() }
        handle.cancel()
        handle.cancel()
        await handle.wait()
        try once.check()
        guard case .cancellation = try await once.outcome else { throw URLError(.unknown) }
    }

    @Test func `releasing the handle does not cancel the call`() async throws {
        let once = ExactlyOnce<Int>()
        let gate = Gate()
        _ = CallHandle.start(
            delivery: .inline,
            {
                try await gate.wait()
                return 1
            }, completion: Self.end(once))
        try await gate.waitForWaiters(1)
        gate.open()
        guard case .success(1) = try await once.outcome else { throw URLError(.unknown) }
    }

    @Test func `randomly cancelled concurrent calls complete once each`() async throws {
        let ledger = CompletionLedger<Int>()
        var generator = SeededGenerator(seed: 5)
        var handles: [CallHandle] = []
        for number in 0..<2000 {
            let call = ledger.call("call \(number)")
            let yields = Int.random(in: 0..<5, using: &generator)
            let handle = CallHandle.start(
                delivery: .inline,
                {
                    for _ in 0..<yields { await Task.yield() }
                    try Task.checkCancellation()
                    return number
                }, completion: Self.end(call))
            if Bool.random(using: &generator) { handle.cancel() }
            handles.append(handle)
        }
        for handle in handles { await handle.wait() }
        try ledger.check()
    }

    // An app may block all threads of the cooperative pool and of Dispatch in its calls.
    @Test func `a call runs on threads of the package`() async throws {
        let name = Mutex("")
        let handle = CallHandle.start(delivery: .inline) {
            name.withLock { $0 = threadName() }
        } completion: { _ in
        }
        await handle.wait()
        #expect(name.withLock(\.self) == "patchbay.calls")
    }
}

import Dispatch
import Foundation
import PatchbayTestKit
import Synchronization
import Testing

@testable import Transport

@Suite struct FlowControlTests {
    /// A level, and the calls that followed it.
    private final class Tap: Sendable {
        let queue = DispatchQueue(label: "test")
        private let state = Mutex((level: false, calls: [Bool]()))
        var level: Bool { state.withLock(\.level) }
        /// The calls of all updates so far.
        var calls: [Bool] { queue.sync { state.withLock(\.calls) } }
        func set(_ level: Bool) { state.withLock { $0.level = level } }
        func flow() -> FlowControl {
            FlowControl(on: queue) {
                self.level
            } setSuspended: { call in
                self.state.withLock { $0.calls.append(call) }
            }
        }
    }

    @Test(
        arguments: [
            ([], []), ([false], []), ([true], [true]), ([true, true], [true]), ([true, false], [true, false]),
            ([true, true, false, false, true], [true, false, true]),
        ] as [([Bool], [Bool])])
    func `suspends and resumes alternately`(levels: [Bool], expected: [Bool]) {
        let tap = Tap()
        let flow = tap.flow()
        for level in levels {
            tap.set(level)
            flow.update()
            _ = tap.calls
        }
        #expect(tap.calls == expected)
    }

    @Test(arguments: [1, 2, 7, 8]) func `changes that a busy queue misses cost no calls`(changes: Int) {
        let tap = Tap()
        let flow = tap.flow()
        tap.queue.suspend()
        for number in 1...changes {
            tap.set(!number.isMultiple(of: 2))
            flow.update()
        }
        tap.queue.resume()
        #expect(tap.calls == (changes.isMultiple(of: 2) ? [] : [true]))
    }

    @Test func `the last call fits the last level, for concurrent changes`() {
        let tap = Tap()
        let flow = tap.flow()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 {
                tap.set((number + thread).isMultiple(of: 2))
                flow.update()
            }
        }
        let calls = tap.calls
        #expect(calls.last ?? false == tap.level)
        #expect(zip(calls, calls.dropFirst()).allSatisfy { $0 != $1 } && calls.first != false)
    }

    @Test func `tasks are suspended on Apple's platforms only`() {
        #expect(ResponseBodyLimits(for: .cfNetwork, memoryLimit: 8) == .init(suspension: 8, spilling: 16))
        #expect(ResponseBodyLimits(for: .libcurl, memoryLimit: 8) == .init(suspension: nil, spilling: 8))
    }
}

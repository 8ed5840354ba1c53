import Dispatch
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct WorkerThreadsTests {
    @Test(arguments: [1, 3])
    func `blocked jobs use at most the fixed number of threads; others wait in FIFO order`(count: Int) async throws {
        let threads = WorkerThreads(count: count, name: "workers")
        let begun = Numbers()
        let leave = DispatchSemaphore(value: 0)
        for number in 0..<(count * 3) {
            threads.run {
                begun.append(number)
                leave.wait()
            }
        }
        try await begun.wait(for: count)
        #expect(begun.all.count == count)
        for number in count..<(count * 3) {
            leave.signal()
            try await begun.wait(for: number + 1)
            #expect(begun.all.count == number + 1 && begun.all.last == number)
        }
        for _ in 0..<count { leave.signal() }
    }

    @Test func `runs tasks outside the cooperative pool`() async throws {
        let threads = WorkerThreads(count: 2, name: "workers")
        let leave = DispatchSemaphore(value: 0)
        let blocked = Task(executorPreference: threads) { blockingWait(for: leave) == .success }
        let free = Task(executorPreference: threads) {
            await Task.yield()
            return leave.signal() != 0
        }
        _ = await free.value
        #expect(await blocked.value)
    }
}

/// Records numbers in order.
final class Numbers: Sendable {
    private let numbers = Watched<[Int]>([])
    var all: [Int] { numbers.value }
    func append(_ number: Int) { numbers.update { $0.append(number) } }

    func wait(until isMet: @escaping @Sendable ([Int]) -> Bool) async throws { try await numbers.wait(until: isMet) }
    func wait(for count: Int) async throws { try await wait { $0.count >= count } }
}

import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct ChannelTests {
    private struct Broken: Error {}

    /// Reads a channel to its end: in a task, or blocking a thread of its own.
    private func read(_ channel: Channel<Int>, blocking: Bool) async throws -> [Int] {
        if blocking {
            return try await withTaskExecutorPreference(WorkerThreads(count: 1, name: "test")) {
                try await readBlocking(channel)
            }
        }
        var all: [Int] = []
        while let element = try await channel.next() { all.append(element) }
        return all
    }

    @concurrent private func readBlocking(_ channel: Channel<Int>) async throws -> [Int] {
        var all: [Int] = []
        while let element = try channel.blockingNext() { all.append(element) }
        return all
    }

    /// Sends numbers, then the end: from a task, or blocking a thread of its own.
    private func send(_ count: Int, to channel: Channel<Int>, blocking: Bool) async {
        guard blocking else {
            return await channel.send(
                contentsOf: AsyncStream { continuation in
                    for number in 0..<count { continuation.yield(number) }
                    continuation.finish()
                })
        }
        await withTaskExecutorPreference(WorkerThreads(count: 1, name: "test")) {
            await sendBlocking(count, to: channel)
        }
    }

    @concurrent private func sendBlocking(_ count: Int, to channel: Channel<Int>) async {
        for number in 0..<count { if channel.blockingRoom() { channel.send(number) } }
        channel.finish()
    }

    @Test(arguments: [0, 1, 7, 1000], [(false, false), (false, true), (true, false), (true, true)])
    func `all elements arrive in order, whichever end blocks`(_ capacity: Int, _ blocks: (Bool, Bool)) async throws {
        let channel = Channel<Int>(capacity: capacity)
        async let reading = read(channel, blocking: blocks.1)
        await send(500, to: channel, blocking: blocks.0)
        #expect(try await reading == Array(0..<500))
    }

    @Test func `the producer's error reaches the consumer once`() async throws {
        let channel = Channel<Int>(capacity: 1)
        let reading = Task { try await read(channel, blocking: true) }
        await channel.send(contentsOf: AsyncThrowingStream { $0.finish(throwing: Broken()) })
        await #expect(throws: Broken.self) { try await reading.value }
        #expect(try await channel.next() == nil)
    }

    @Test(arguments: [false, true]) func `a consumer that closes it releases a waiting producer`(
        _ blocks: Bool
    ) async throws {
        let channel = Channel<Int>(capacity: 1)
        let executor = ObservedExecutor()
        let producer = Task(executorPreference: executor) { await send(3, to: channel, blocking: blocks) }
        // It waits for room, unless it blocks another thread, which may come later.
        try await executor.waitUntilIdle()
        channel.close()
        await producer.value
        #expect(!channel.send(9) && channel.blockingRoom() == false)
        #expect(try channel.blockingNext() == nil)
    }

    @Test(arguments: [0, 1]) func `cancelling the producer ends both sides, although its sequence ends silently`(
        _ capacity: Int
    ) async throws {
        let channel = Channel<Int>(capacity: capacity)
        let (endless, continuation) = AsyncStream.makeStream(of: Int.self)
        continuation.yield(1)
        continuation.yield(2)
        let producer = Task { await channel.send(contentsOf: endless) }
        let reading = Task { try await read(channel, blocking: true) }
        producer.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        await producer.value
        continuation.finish()
    }

    @Test func `cancelling the consumer ends the channel, or does what the caller says`() async throws {
        let channel = Channel<Int>(capacity: 1)
        let reader = Task { try await channel.next() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(await channel.room() == false)

        let other = Channel<Int>(capacity: 1)
        let second = Task { try await other.next { other.finish(Broken()) } }
        second.cancel()
        await #expect(throws: Broken.self) { try await second.value }
    }

    @Test func `a second consumer gets the end`() async throws {
        let channel = Channel<Int>(capacity: 1)
        let readers = (0..<2).map { _ in Task { try await channel.next() } }
        // The one that came first still waits.
        let ended = await withTaskGroup(of: Int?.self) { group in
            for reader in readers { group.addTask { try? await reader.value } }
            let first = await group.next()
            channel.send(7)
            let second = await group.next()
            return [first, second]
        }
        #expect(ended == [.some(nil), .some(7)])
    }
}

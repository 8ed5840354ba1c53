import Coordination
import Dispatch
import Foundation
import Testing

@testable import HyperHive

@Suite struct ChunkQueueTests {
    private struct Broken: Error {}

    /// The state of a queue of 3 bytes after some steps, as text.
    private func outcome(_ steps: String) -> String {
        var state = ChunkQueueState(capacity: 3)
        var results: [String] = []
        for step in steps.split(separator: " ") {
            switch step {
            case "finish": state.finish(nil)
            case "fail": state.finish(Broken())
            case "close": state.close()
            case "take":
                switch state.take() {
                case .chunks(let chunks):
                    results.append(chunks.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "+"))
                case .wait: results.append("wait")
                case .end(nil): results.append("end")
                case .end: results.append("error")
                }
            default: results.append("\(state.send(Data(step.utf8)))")
            }
        }
        return results.joined(separator: " ")
    }

    @Test(arguments: [
        ("take", "wait"), ("a take take", "accepted a wait"), ("a bc take d", "accepted full a+bc accepted"),
        ("abcd e take", "full full abcd+e"), ("a finish take take", "accepted a end"),
        ("a finish b take", "accepted closed a"), ("a fail take take", "accepted error error"),
        ("fail finish take", "error"), ("finish fail take", "end"), ("abc close d take", "full closed end"),
        ("finish close take", "end"), ("close finish fail take", "end"),
    ])
    func `the state machine`(_ steps: String, _ expected: String) { #expect(outcome(steps) == expected) }

    @Test func `only a queue that is open and full stops its producer`() {
        var state = ChunkQueueState(capacity: 3)
        #expect(!state.isFull && state.isWaiting)
        _ = state.send(Data("abc".utf8))
        #expect(state.isFull && !state.isWaiting)
        state.finish(nil)
        #expect(!state.isFull && !state.isWaiting)
        state.close()
        #expect(!state.isFull && !state.isWaiting)
    }

    /// Reads a queue to its end, on a thread of its own.
    @concurrent private func read(_ queue: ChunkQueue) async throws -> Data {
        var data = Data()
        let next = queue.reader()
        while let chunk = try next() { data += chunk }
        return data
    }

    private func readOnThread(_ queue: ChunkQueue) async throws -> Data {
        try await withTaskExecutorPreference(WorkerThreads(count: 1, name: "test")) { try await read(queue) }
    }

    @Test(arguments: [1, 7, 1000]) func `all chunks arrive in order`(_ capacity: Int) async throws {
        let queue = ChunkQueue(capacity: capacity)
        let reading = Task { try await readOnThread(queue) }
        let chunks = (0..<500).map { Data("\($0),".utf8) }
        await queue.send(
            contentsOf: AsyncStream { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            })
        #expect(try await reading.value == chunks.reduce(Data(), +))
    }

    @Test func `the producer's error reaches the consumer`() async throws {
        let queue = ChunkQueue(capacity: 1)
        let reading = Task { try await readOnThread(queue) }
        await queue.send(
            contentsOf: AsyncThrowingStream { continuation in
                continuation.yield(Data("a".utf8))
                continuation.finish(throwing: Broken())
            })
        await #expect(throws: Broken.self) { try await reading.value }
    }

    @Test func `a consumer that closes the queue releases a suspended producer`() async throws {
        let queue = ChunkQueue(capacity: 1)
        async let sent: Void = queue.send(
            contentsOf: AsyncStream { continuation in
                for _ in 0..<3 { continuation.yield(Data("ab".utf8)) }
                continuation.finish()
            })
        queue.close()
        await sent
        #expect(await queue.send(Data("c".utf8)) == false)
        #expect(try queue.take() == nil)
    }

    @Test func `cancelling the producer ends a blocked consumer, although the sequence ends silently`() async throws {
        let queue = ChunkQueue()
        let (endless, continuation) = AsyncStream.makeStream(of: Data.self)
        let producer = Task { await queue.send(contentsOf: endless) }
        let reading = Task { try await readOnThread(queue) }
        producer.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        await producer.value
        continuation.finish()
    }

    @Test func `cancelling a suspended producer ends both sides`() async throws {
        let queue = ChunkQueue(capacity: 1)
        let producer = Task {
            await queue.send(
                contentsOf: AsyncStream { continuation in
                    for _ in 0..<3 { continuation.yield(Data("ab".utf8)) }
                    continuation.finish()
                })
        }
        producer.cancel()
        await producer.value
        #expect(throws: CancellationError.self) { while try queue.take() != nil {} }
    }
}

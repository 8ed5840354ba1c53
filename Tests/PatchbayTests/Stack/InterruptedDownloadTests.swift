import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// A download whose first response ends early, through a stack.
@Suite(.needsSlot) struct InterruptedDownloadTests {
    private let gate = Gate()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")

    private func download(
        over stack: Stack, clock: ManualClock, _ options: DownloadOptions = .retrying
    ) async throws -> DownloadedFile {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let request = try HTTPRequest(.get, "https://example.com/file")
        return try await clock.autoAdvancing {
            try await stack.download(request, to: folder.appending(path: "file"), options: options, clock: clock)
        }
    }

    @Test func `the rest is let in while the queue drains, which waits for it`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (queue, clock, engine) = (RequestQueue(), ManualClock(), CuttingTransport(gate: gate))
        let stack = Stack.standard(over: engine, clock: clock).queued(in: queue)
        let call = Task { try await download(over: stack, clock: clock).byteCount }
        try await engine.requests.wait { $0.count == 1 }
        let executor = ObservedExecutor()
        let drained = Task(executorPreference: executor) { try await queue.drain() }
        try await executor.waitUntilIdle()
        #expect(queue.snapshot.isDraining)
        gate.open()
        #expect(try await call.value == 10)
        try await drained.value
        #expect(engine.requests.value.count == 2)
    }

    @Test(arguments: [10, 2]) func `it waits for an open circuit, within its attempts`(attempts: Int) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (clock, engine) = (ManualClock(), ScriptedTransport([.failure(.connectionRefused)], then: .text("film")))
        let policy = CircuitPolicy(threshold: .failures(1, within: .seconds(10)), openDuration: .seconds(30))
        let stack = Stack(over: engine, clock: clock).circuitBreaking(policy)
        var error: AdmissionError?
        do {
            let options = DownloadOptions(resumes: true, maximumAttempts: attempts)
            #expect(try await download(over: stack, clock: clock, options).byteCount == 4)
        } catch let failure as AdmissionError { error = failure }
        let isEnded = attempts == 2
        let (code, time): (AdmissionError.Code?, Duration) =
            isEnded ? (.circuitOpen, .milliseconds(200)) : (nil, .seconds(30))
        #expect(error?.code == code && clock.now.offset == time)
        #expect(engine.requests.count == (isEnded ? 1 : 2))
        #expect(error?.attempts.count == (isEnded ? 2 : nil))
    }

    @Test func `the log says where a download continues`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        gate.open()
        let lines = Watched<[LogLine]>([])
        let monitor = EventMonitor([.log(.basic, to: .handler { line in lines.update { $0.append(line) } })])
        let clock = ManualClock()
        let stack = Stack.standard(over: CuttingTransport(gate: gate), clock: clock).observing(by: monitor)
        #expect(try await download(over: stack, clock: clock).byteCount == 10)
        await monitor.flush()
        let texts = lines.value.map { $0.text.split(separator: " ", maxSplits: 1).last ?? "" }
        #expect(Set(lines.value.map(\.call)).count == 1)
        #expect(texts.count == 4, "\(texts)")
        #expect(texts.first == "> GET https://example.com/file")
        #expect(texts.dropFirst(2).first == "> GET https://example.com/file, continued at byte 4")
        #expect(texts.last?.hasPrefix("< 206 Partial Content, 6 bytes") == true)
    }

    @Test func `the attempts of all parts are numbered, and two downloads are two calls`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        gate.open()
        let attempts = Watched<[ObservedAttempt]>([])
        let (monitor, clock) = (EventMonitor([EventSink(AttemptCollector(attempts: attempts))]), ManualClock())
        let stack = Stack.standard(over: CuttingTransport(gate: gate), clock: clock).observing(by: monitor)
        for _ in 0..<2 { _ = try await download(over: stack, clock: clock) }
        await monitor.flush()
        #expect(attempts.value.map(\.number) == [1, 2, 1, 2])
        #expect(attempts.value.map(\.reason) == [.initial, .continuation, .initial, .continuation])
        let ids = attempts.value.map(\.call.id)
        #expect(ids[0] == ids[1] && ids[2] == ids[3] && ids[0] != ids[2])
        #expect(attempts.value.allSatisfy { $0.request.options.callID == $0.call.id })
    }
}

/// A sink that keeps the attempts.
private struct AttemptCollector: EventReceiver {
    let attempts: Watched<[ObservedAttempt]>

    func receive(_ event: CallEvent) {
        if case .attempt(let attempt) = event.kind { attempts.update { $0.append(attempt) } }
    }
}

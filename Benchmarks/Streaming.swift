import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Transport

extension Harness {
    /// Compares long transfers in both directions with a session delegate.
    func streaming(_ server: ServerProcess) async throws -> [Flow] {
        let size = (arguments.quick ? 32 : 1024) << 20
        let transport = URLSessionTransport()
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let source = folder.url.appending(path: "source")
        try Self.fill(source, size)
        let target = folder.url.appending(path: "target")
        let down = try HTTPRequest(.get, server.streamingURL + "/down?\(size)")
        let up = try URL(httpString: server.streamingURL + "/up")
        let delegate = "bare URLSession delegate"
        let sap = try await sapTransfers(
            from: down.url, to: target, and: source, to: up, size: size, over: transport)
        return [
            try await flow("Streamed down", size, against: "plain socket") {
                try await Self.read(transport.stream(down), expecting: size)
            } baseline: {
                try PlainSocket.get("/down?\(size)", port: server.streamingPort, expecting: size)
            },
            try await flow("Streamed down", size, against: delegate) {
                try await Self.read(transport.stream(down), expecting: size)
            } baseline: {
                try Self.check(try await BareStreaming.get(down.url), size)
            },
            try await flow("Downloaded to a file on the disk", size, against: delegate + " that writes a file") {
                try Self.check(Int(try await transport.download(down, to: target).byteCount), size)
            } baseline: {
                try Self.check(try await BareStreaming.get(down.url, to: target), size)
            },
            try await flow("Uploaded from a file", size, against: "bare URLSession with an InputStream") {
                let request = try HTTPRequest(.put, up, body: .file(at: source))
                try Self.check(Int(String(decoding: try await transport.send(request).body, as: UTF8.self)), size)
            } baseline: {
                try await BareStreaming.put(source, to: up)
            },
            try await flow(
                "Uploaded from an asynchronous sequence", size, against: "bare URLSession with an InputStream of a file"
            ) {
                let chunks = Chunks(count: size >> 18)
                let request = try HTTPRequest(.put, up, body: .stream(chunks, length: Int64(size)))
                try Self.check(Int(String(decoding: try await transport.send(request).body, as: UTF8.self)), size)
            } baseline: {
                try await BareStreaming.put(source, to: up)
            },
        ] + sap
    }

    /// Measures the memory of a reader that is 100 times slower than the server.
    func slowReader(_ server: ServerProcess) async throws -> SlowReading {
        let size = (arguments.quick ? 64 : 1024) << 20
        let transport = URLSessionTransport()
        let request = try HTTPRequest(.get, server.streamingURL + "/down?\(size)")
        let quick = try await seconds { try await Self.read(transport.stream(request), expecting: size) }
        let duration = Duration.seconds(arguments.quick ? 1 : 10)
        Usage.resetPeak()
        let before = Usage.now.bytes
        let start = ContinuousClock.now
        var count = 0
        for try await chunk in try await transport.stream(request).body {
            count += chunk.count
            let due = Duration.seconds(quick * 100 * Double(count) / Double(size))
            if due < duration { try await Task.sleep(until: start + due) }
        }
        try Self.check(count, size)
        return SlowReading(bytes: size, seconds: duration / .seconds(1), growth: Usage.peak - before)
    }

    /// Cancels requests at random moments, and counts what is left after the transport is released.
    func cancellations(_ server: ServerProcess) async throws -> Cancellations {
        let requests = count(10_000)
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let outcomes = Outcomes(seed: 2026)
        let before = Usage.now.descriptors
        let seconds = try await seconds {
            let transport = URLSessionTransport(configuration: .init(temporaryDirectory: folder.url))
            try await cancel(requests, of: transport, at: server.streamingURL + "/down?", in: folder.url, outcomes)
        }
        // The last cancelled requests may still be closing their sockets.
        for _ in 0..<100 where Usage.now.descriptors > before { try await Task.sleep(for: .milliseconds(50)) }
        let (done, cancelled, failed) = outcomes.counts
        return Cancellations(
            requests: requests, done: done, cancelled: cancelled, failed: failed, seconds: seconds,
            descriptors: max(0, Usage.now.descriptors - before),
            files: try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count)
    }

    private func cancel(
        _ requests: Int, of transport: URLSessionTransport, at url: String, in folder: URL, _ outcomes: Outcomes
    ) async throws {
        try await repeating(requests, inFlight: 32) {
            let (number, delay) = outcomes.begin()
            let request = try HTTPRequest(.get, url + "\(number % 7 * 200_000 + 10)")
            let file = folder.appending(path: "\(number)")
            let task = Task {
                switch number % 3 {
                case 0: _ = try await transport.send(request)
                case 1: _ = try await transport.stream(request).collect()
                default: try await transport.download(request, to: file)
                }
            }
            try await Task.sleep(for: delay)
            task.cancel()
            outcomes.end(await task.result)
            try? FileManager.default.removeItem(at: file)
        }
    }

    static func fill(_ file: URL, _ size: Int) throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        let piece = Data(repeating: 0x5A, count: 1 << 20)
        for _ in 0..<(size >> 20) { try handle.write(contentsOf: piece) }
        try handle.close()
    }

    /// A number of pieces of 256 KiB.
    private struct Chunks: AsyncSequence, Sendable {
        struct Iterator: AsyncIteratorProtocol {
            var rest: Int
            let piece = Data(repeating: 0x5A, count: 1 << 18)
            mutating func next() async -> Data? {
                guard rest > 0 else { return nil }
                rest -= 1
                return piece
            }
        }
        let count: Int
        func makeAsyncIterator() -> Iterator { Iterator(rest: count) }
    }

    /// Random delays before cancellation, and the outcomes.
    private final class Outcomes: Sendable {
        private struct State {
            var generator: SeededGenerator
            var begun = 0
            var done = 0
            var cancelled = 0
            var failed = 0
        }
        private let state: Mutex<State>
        init(seed: UInt64) { state = Mutex(State(generator: SeededGenerator(seed: seed))) }

        func begin() -> (number: Int, delay: Duration) {
            state.withLock { state in
                state.begun += 1
                return (state.begun, .microseconds(Int.random(in: 0...30_000, using: &state.generator)))
            }
        }

        func end(_ result: Result<Void, any Error>) {
            state.withLock { state in
                switch result {
                case .success: state.done += 1
                case .failure(let error as TransportError) where error.code == .cancelled: state.cancelled += 1
                case .failure: state.failed += 1
                }
            }
        }

        var counts: (done: Int, cancelled: Int, failed: Int) { state.withLock { ($0.done, $0.cancelled, $0.failed) } }
    }
}

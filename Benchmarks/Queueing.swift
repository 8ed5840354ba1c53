import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Transport

extension Harness {
    /// Measures the memory of waiting requests, compared with the same requests in an array.
    func waitingMemory() throws -> Growth {
        let requests = count(1_000_000)
        let request = try HTTPRequest(.get, "http://127.0.0.1/akula/app/data/item?region=east")
        let queue = RequestQueue()
        queue.pause()
        let before = Usage.now
        for _ in 0..<requests { try queue.submit(request) { _ in } }
        let between = Usage.now
        // The queue still retains its requests, so these use new memory.
        let array = (0..<requests).map { _ in (request, { @Sendable (_: RequestQueue.Event) in }) }
        let after = Usage.now
        let growth = Growth(
            name: "\(queue.waitingCount) waiting", baseline: "the same \(array.count) requests in an array",
            requests: requests, descriptors: between.descriptors - before.descriptors,
            threads: between.threads - before.threads,
            bytesPerRequest: Double(between.bytes - before.bytes) / Double(requests),
            baselineBytesPerRequest: Double(after.bytes - between.bytes) / Double(requests))
        return growth
    }

    /// Measures the queue without a network.
    func queueing() async throws -> [Figure] {
        let many = count(1_000_000)
        let few = 1000
        let rounds = many / few
        return [
            try await compareTimes(
                "Submit, up to \(many) waiting", operations: many, against: "up to \(few)",
                subject: { QueueLoad.fillAndEmpty(many, rounds: 1).submit },
                baseline: { QueueLoad.fillAndEmpty(few, rounds: rounds).submit }),
            try await compareTimes(
                "Start, up to \(many) waiting", operations: many, against: "up to \(few)",
                subject: { QueueLoad.fillAndEmpty(many, rounds: 1).start },
                baseline: { QueueLoad.fillAndEmpty(few, rounds: rounds).start }),
            try await compareTimes(
                "Mixed events, \(many) waiting", operations: many, against: "\(few) waiting",
                subject: { QueueLoad.mixed(waiting: many, events: many) },
                baseline: { QueueLoad.mixed(waiting: few, events: many) }),
            try await compareTimes(
                "New keys, after a peak of \(many / 5)", operations: few * 20, against: "without a peak",
                subject: { QueueLoad.newKeys(few * 20, afterPeakOf: many / 5) },
                baseline: { QueueLoad.newKeys(few * 20, afterPeakOf: 0) }),
            try await queuedOverFake(),
            try await queuedOverFake(tag: "tag"),
            try await waitingOverFake(),
        ]
    }

    private func queuedOverFake(tag: String? = nil) async throws -> Figure {
        let operations = count(100_000)
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        let queued = Queued(base: fake)
        let request = try HTTPRequest(
            .get, "http://127.0.0.1/akula/app/data/item?region=east", options: RequestOptions { $0.tag = tag })
        return try await compare(
            tag == nil ? "Queued over a fake, nothing waits" : "Queued over a fake, with a tag", operations: operations,
            against: "the fake alone",
            subject: { try await Self.aside { for _ in 0..<operations { _ = try await queued.send(request) } } },
            baseline: { try await Self.aside { for _ in 0..<operations { _ = try await fake.send(request) } } })
    }

    /// Runs calls outside the main actor, from which each child task would cost two thread switches.
    private static func aside(_ calls: @escaping @Sendable () async throws -> Void) async throws {
        try await Task.detached { try await calls() }.value
    }

    private func waitingOverFake() async throws -> Figure {
        let operations = count(100_000)
        // Yields, as a transport that takes time: without that, no request would wait.
        let fake = FakeTransport { request in
            await Task.yield()
            return request.response(body: ServerProcess.responseBody)
        }
        let queued = Queued(base: fake, queue: RequestQueue(limits: QueueLimits(maximumConcurrent: 4)))
        let request = try HTTPRequest(.get, "http://127.0.0.1/akula/app/data/item?region=east")
        return try await compare(
            "Queued over a fake, 60 of 64 wait", operations: operations, against: "the fake alone",
            subject: { try await repeating(operations, inFlight: 64) { _ = try await queued.send(request) } },
            baseline: { try await repeating(operations, inFlight: 64) { _ = try await fake.send(request) } })
    }

    /// Measures the queue over the network.
    func queueing(_ server: ServerProcess) async throws -> [Figure] {
        var figures: [Figure] = []
        for inFlight in [1, 16, 64] {
            // The speed of a single caller varies from second to second, so its rounds are short and many.
            let (operations, rounds) = inFlight == 1 ? (count(500), rounds * 6) : (count(10_000), rounds)
            let transport = URLSessionTransport()
            let queued = Queued(base: transport)
            let request = try HTTPRequest(.get, server.url + "/item")
            figures.append(
                try await compare(
                    "Queued over URLSessionTransport, \(inFlight) in flight", operations: operations,
                    against: "URLSessionTransport alone", rounds: rounds,
                    subject: {
                        try await repeating(operations, inFlight: inFlight) { _ = try await queued.send(request) }
                    },
                    baseline: {
                        try await repeating(operations, inFlight: inFlight) { _ = try await transport.send(request) }
                    }))
        }
        return figures
    }
}

/// Loads for the state machine: random items of three priorities and a hundred keys.
private enum QueueLoad {
    typealias Queue = WorkQueue<Int, Int>

    /// Fills a paused queue, then runs all items. Times are in seconds, over all rounds.
    static func fillAndEmpty(_ count: Int, rounds: Int) -> (submit: Double, start: Double) {
        var generator = SeededGenerator(seed: 1)
        let work = (0..<count).map { _ in (key: key(&generator), priority: priority(&generator)) }
        var times = (submit: 0.0, start: 0.0)
        for _ in 0..<rounds {
            var queue = Queue(limits: QueueLimits(maximumConcurrent: 8, maximumConcurrentPerKey: 4))
            queue.pause()
            times.submit += seconds {
                for (number, item) in work.enumerated() {
                    _ = queue.submit(number, key: item.key, priority: item.priority, now: .microseconds(number))
                }
            }
            times.start += seconds {
                var running = queue.resume()
                while let action = running.popLast() {
                    if case .start(let (id, _)) = action { running += queue.finish(id) }
                }
            }
        }
        return times
    }

    /// Submits, finishes, cancels and expires items at a constant number of waiting ones. In seconds.
    static func mixed(waiting: Int, events: Int) -> Double {
        var generator = SeededGenerator(seed: 2)
        var queue = Queue(limits: QueueLimits(maximumConcurrent: 8, maximumConcurrentPerKey: 4))
        var running: [QueueItemID] = []
        var cancellable: [QueueItemID] = []
        var number = 0
        func perform(_ actions: [Queue.Action]) {
            for action in actions {
                if case .start(let (id, _)) = action { running.append(id) }
            }
        }
        func submit() {
            number += 1
            let now = Duration.microseconds(number)
            let deadline = number.isMultiple(of: 4) ? now + .microseconds(waiting * 10) : nil
            let (result, actions) = queue.submit(
                number, key: key(&generator), priority: priority(&generator), deadline: deadline, now: now)
            if case .started(let id) = result { running.append(id) }
            if number.isMultiple(of: 8), let id = result.id { cancellable.append(id) }
            perform(actions)
        }
        while queue.waitingCount < waiting { submit() }
        return seconds {
            for event in 0..<events {
                if queue.waitingCount < waiting {
                    submit()
                } else if event.isMultiple(of: 5), !cancellable.isEmpty {
                    cancellable.swapAt(Int.random(in: cancellable.indices, using: &generator), cancellable.count - 1)
                    perform(queue.cancel(cancellable.removeLast()))
                } else if let id = running.popLast() {
                    perform(queue.finish(id))
                }
                if event.isMultiple(of: 16) { perform(queue.expire(now: .microseconds(number))) }
            }
        }
    }

    /// Submits items with new keys one by one, after a peak of keys of which one item is left. In seconds.
    static func newKeys(_ count: Int, afterPeakOf peak: Int) -> Double {
        var queue = Queue(limits: QueueLimits(maximumConcurrent: .max, maximumConcurrentPerKey: 1))
        _ = queue.submit(0, key: -1, now: .zero)
        let ids = (0..<peak).compactMap { queue.submit($0, key: $0, now: .zero).result.id }
        for id in ids { _ = queue.finish(id) }
        return seconds {
            for key in peak..<peak + count {
                if let id = queue.submit(key, key: key, now: .zero).result.id { _ = queue.finish(id) }
            }
        }
    }

    private static func key(_ generator: inout SeededGenerator) -> Int { Int.random(in: 0..<100, using: &generator) }

    private static func priority(_ generator: inout SeededGenerator) -> RequestPriority {
        [.background, .normal, .high][Int.random(in: 0..<3, using: &generator)]
    }

    /// CPU time in seconds.
    private static func seconds(_ body: () -> Void) -> Double {
        let start = clock()
        body()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Transport

extension Harness {
    /// What a request that waits costs in memory, beside the same requests in an array.
    func waitingMemory() throws -> Growth {
        let requests = count(1_000_000)
        let request = try HTTPRequest(.get, "http://127.0.0.1/akula/app/data/item?region=east")
        let queue = RequestQueue()
        queue.pause()
        let before = Usage.now
        for _ in 0..<requests { try queue.submit(request) { _ in } }
        let between = Usage.now
        // The queue still holds its own, so these get new memory.
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

    /// The queue by itself.
    func queueing() async throws -> [Figure] {
        let many = count(1_000_000)
        let few = 1000
        let rounds = many / few
        return [
            try await compareTimes(
                "Enqueue, up to \(many) waiting", operations: many, against: "up to \(few)",
                subject: { QueueLoad.fillAndEmpty(many, rounds: 1).enqueue },
                baseline: { QueueLoad.fillAndEmpty(few, rounds: rounds).enqueue }),
            try await compareTimes(
                "Dequeue, up to \(many) waiting", operations: many, against: "up to \(few)",
                subject: { QueueLoad.fillAndEmpty(many, rounds: 1).dequeue },
                baseline: { QueueLoad.fillAndEmpty(few, rounds: rounds).dequeue }),
            try await compareTimes(
                "Mixed events, \(many) waiting", operations: many, against: "\(few) waiting",
                subject: { QueueLoad.mixed(waiting: many, events: many) },
                baseline: { QueueLoad.mixed(waiting: few, events: many) }),
            try await compareTimes(
                "New keys, after a rush of \(many / 5) of them", operations: few * 20, against: "without a rush",
                subject: { QueueLoad.newKeys(few * 20, afterRushOf: many / 5) },
                baseline: { QueueLoad.newKeys(few * 20, afterRushOf: 0) }),
            try await queuedOverFake(),
            try await queuedOverFake(tag: "tag"),
            try await waitingOverFake(),
        ]
    }

    private func queuedOverFake(tag: String? = nil) async throws -> Figure {
        let operations = count(100_000)
        let fake = FakeTransport { $0.reply(body: ServerProcess.answer) }
        let queued = Queued(base: fake)
        let request = try HTTPRequest(
            .get, "http://127.0.0.1/akula/app/data/item?region=east", options: RequestOptions(tag: tag))
        return try await compare(
            tag == nil ? "Queued over a fake, nothing waits" : "Queued over a fake, with a tag", operations: operations,
            against: "the fake alone",
            subject: { try await Self.aside { for _ in 0..<operations { _ = try await queued.send(request) } } },
            baseline: { try await Self.aside { for _ in 0..<operations { _ = try await fake.send(request) } } })
    }

    /// Runs calls where child tasks run too. From the main actor each of these would cost two changes of threads.
    private static func aside(_ calls: @escaping @Sendable () async throws -> Void) async throws {
        try await Task.detached { try await calls() }.value
    }

    private func waitingOverFake() async throws -> Figure {
        let operations = count(100_000)
        // As a transport does that takes time: without a pause in it nobody would have to wait.
        let fake = FakeTransport { request in
            await Task.yield()
            return request.reply(body: ServerProcess.answer)
        }
        let queued = Queued(base: fake, queue: RequestQueue(limits: QueueLimits(running: 4)))
        let request = try HTTPRequest(.get, "http://127.0.0.1/akula/app/data/item?region=east")
        return try await compare(
            "Queued over a fake, 60 of 64 wait", operations: operations, against: "the fake alone",
            subject: { try await repeating(operations, inFlight: 64) { _ = try await queued.send(request) } },
            baseline: { try await repeating(operations, inFlight: 64) { _ = try await fake.send(request) } })
    }

    /// The queue over the network.
    func queueing(_ server: ServerProcess) async throws -> [Figure] {
        var figures: [Figure] = []
        for inFlight in [1, 16, 64] {
            // A lone caller's speed comes and goes from second to second, so its rounds are short and many.
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

/// Loads for the state machine alone: three priorities and a hundred keys, at random.
private enum QueueLoad {
    typealias Queue = WorkQueue<Int, Int>

    /// Fills a queue that does nothing, then lets all of it run. Times are in seconds, over all rounds.
    static func fillAndEmpty(_ count: Int, rounds: Int) -> (enqueue: Double, dequeue: Double) {
        var generator = SeededGenerator(seed: 1)
        let work = (0..<count).map { _ in (key: key(&generator), priority: priority(&generator)) }
        var times = (enqueue: 0.0, dequeue: 0.0)
        for _ in 0..<rounds {
            var queue = Queue(limits: QueueLimits(running: 8, runningPerKey: 4))
            queue.pause()
            times.enqueue += seconds {
                for (number, item) in work.enumerated() {
                    _ = queue.submit(number, key: item.key, priority: item.priority, now: .microseconds(number))
                }
            }
            times.dequeue += seconds {
                var running = queue.resume()
                while let action = running.popLast() {
                    if case .start(let id, _) = action { running += queue.finish(id) }
                }
            }
        }
        return times
    }

    /// Keeps so many waiting while requests come, end, are cancelled and come to their deadlines. In seconds.
    static func mixed(waiting: Int, events: Int) -> Double {
        var generator = SeededGenerator(seed: 2)
        var queue = Queue(limits: QueueLimits(running: 8, runningPerKey: 4))
        var running: [QueueItemID] = []
        var cancellable: [QueueItemID] = []
        var number = 0
        func perform(_ actions: [Queue.Action]) {
            for action in actions {
                if case .start(let id, _) = action { running.append(id) }
            }
        }
        func submit() {
            number += 1
            let now = Duration.microseconds(number)
            let deadline = number.isMultiple(of: 4) ? now + .microseconds(waiting * 10) : nil
            let (admission, actions) = queue.submit(
                number, key: key(&generator), priority: priority(&generator), deadline: deadline, now: now)
            if case .started(let id) = admission { running.append(id) }
            if number.isMultiple(of: 8), let id = admission.id { cancellable.append(id) }
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

    /// Items with a key of their own each, one after the other, when many such have gone and one is left. In seconds.
    static func newKeys(_ count: Int, afterRushOf rush: Int) -> Double {
        var queue = Queue(limits: QueueLimits(running: .max, runningPerKey: 1))
        _ = queue.submit(0, key: -1, now: .zero)
        let ids = (0..<rush).compactMap { queue.submit($0, key: $0, now: .zero).admission.id }
        for id in ids { _ = queue.finish(id) }
        return seconds {
            for key in rush..<rush + count {
                if let id = queue.submit(key, key: key, now: .zero).admission.id { _ = queue.finish(id) }
            }
        }
    }

    private static func key(_ generator: inout SeededGenerator) -> Int { Int.random(in: 0..<100, using: &generator) }

    private static func priority(_ generator: inout SeededGenerator) -> RequestPriority {
        [.background, .normal, .immediate][Int.random(in: 0..<3, using: &generator)]
    }

    /// Of the processor's time, because nothing here waits for anything else.
    private static func seconds(_ body: () -> Void) -> Double {
        let start = clock()
        body()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}

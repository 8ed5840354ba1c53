import Foundation
import HTTPCaching
import HTTPMessages
import SQLiteStore
import Transport

/// The durations of single calls, in seconds.
struct Pauses: Finding {
    let name: String
    let calls: Int
    let median: Double
    let maximum: Double
    /// The calls that took longer than 5 ms.
    let longCount: Int

    init(_ name: String, _ times: [Double]) {
        (self.name, calls, median, maximum) = (name, times.count, times.median, times.max() ?? 0)
        longCount = times.count { $0 > 0.005 }
    }

    var title: String { "\(name), \(calls) calls" }
    var lines: [String] {
        ["\((median * 1e3).text(2)) ms (median), \((maximum * 1e3).text(2)) ms (maximum), \(longCount) over 5 ms"]
    }
}

extension Harness {
    /// Measures how a cache of many responses in a file opens, and what its calls wait for while it evicts.
    func largeCache() async throws -> [Pauses] {
        let responses = count(1_000_000)
        let fake = CacheSamples.server
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let file = folder.path("cache.sqlite")
        func open() throws -> HTTPCache {
            HTTPCache(in: try SQLiteStore(.file(file)), limits: .init(bytes: 8 << 30, entries: responses))
        }
        do {
            let cache = try open()
            let transport = fake.caching(in: cache)
            for number in 0..<responses {
                _ = try await transport.send(CacheSamples.item(number))
                // What waits to be written is limited.
                if number.isMultiple(of: 5_000) { await cache.waitUntilIdle() }
            }
            await cache.waitUntilIdle()
        }
        var (openings, misses, writes, removals) = ([Double](), [Double](), [Double](), [Double]())
        for round in 0..<count(100) {
            openings.append(
                try await seconds {
                    let request = try CacheSamples.item(round * 97 % responses)
                    let head = try await fake.caching(in: try open()).send(request).head
                    guard head.cacheStatus?.isHit == true else {
                        let status = head.cacheStatus.map { "\($0)" } ?? "none"
                        throw Unexpected(description: "No hit for \(request.url), which was stored: \(status).")
                    }
                })
        }
        let cache = try open()
        let transport = fake.caching(in: cache)
        for number in 0..<count(40_000) {
            let request = try CacheSamples.item(responses + number)
            misses.append(try await seconds { _ = try await transport.send(request) })
            // What waits for the writes of others.
            switch number % 100 {
            case 49:
                let write = try CacheSamples.item(responses + number, .post)
                writes.append(try await seconds { _ = try await transport.send(write) })
            case 99: removals.append(try await seconds { try await cache.remove(request.url) })
            default: break
            }
        }
        await cache.waitUntilIdle()
        guard cache.statistics.evicted > 0 else {
            throw Unexpected(
                description: "Nothing evicted after \(misses.count) responses beyond the limit of \(responses).")
        }
        return [
            Pauses("A cache of \(responses) responses in a file: opening, with a hit", openings),
            Pauses("A response that is stored while others are evicted", misses),
            Pauses("A POST, which removes a response while others are evicted", writes),
            Pauses("A removal by the app while others are evicted, once it is in the file", removals),
        ]
    }

    /// What the cache did other than the benchmark needs.
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }
}

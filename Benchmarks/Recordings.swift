import Foundation
import HTTPMessages
import Monitoring
import PatchbayTestKit
import Transport

extension Harness {
    /// Compares writing an HTTP archive with encoding its entries, by CPU time, and replaying with a fake that finds
    /// its response.
    func recordings() async throws -> [Figure] {
        let entries = try archiveEntries(count(2000))
        let encoder = JSONEncoder()
        let clean = entries.map { $0.redacted() }
        let exchanges = try (0..<count(10_000)).map { number in
            let request = try HTTPRequest(.get, "https://example.com/v1/items/\(number)?region=east")
            return (request, request.response(body: ServerProcess.responseBody))
        }
        let recording = Recording(exchanges.map { Recording.Exchange($0, $1) })
        // Loaded once; each exchange is replayed in each round.
        let transport = recording.transport(rules: RecordingRules { $0.exhaustion = .last })
        let requests = exchanges.map(\.0)
        let responses = Dictionary(uniqueKeysWithValues: exchanges.map { ($0.url, $1) })
        let fake = FakeTransport { responses[$0.url] ?? $0.response(.notFound) }
        return [
            try await compareTimes(
                "HAR writing, without secrets", operations: entries.count, against: "JSONEncoder and a file handle",
                subject: {
                    try withArchive { file in
                        try cpuSeconds {
                            let writer = try HARWriter(file)
                            for entry in entries { try writer.append(entry) }
                            try writer.close()
                        }
                    }
                },
                baseline: {
                    try withArchive { file in
                        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
                        return try cpuSeconds {
                            let handle = try FileHandle(forWritingTo: file)
                            for entry in clean { try handle.write(contentsOf: encoder.encode(entry)) }
                            try handle.synchronize()
                            try handle.close()
                        }
                    }
                }),
            try await compareTimes(
                "Replay of \(requests.count) exchanges", operations: requests.count, against: "FakeTransport",
                subject: {
                    try await cpuSeconds { for request in requests { _ = try await transport.send(request) } }
                },
                baseline: { try await cpuSeconds { for request in requests { _ = try await fake.send(request) } } }),
        ]
    }

    /// Measures an archive of 1 GiB: the throughput and the memory.
    func archiveFlow() throws -> RowFlow {
        let entries = try archiveEntries(64, bodyBytes: 16 << 10)
        let size = try withArchive { file in
            let writer = try HARWriter(file)
            for entry in entries { try writer.append(entry) }
            try writer.close()
            return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        }
        let rounds = count(1 << 30) / size
        Usage.resetPeak()
        let before = Usage.peak
        return try withArchive { file in
            let writer = try HARWriter(file, limits: HARWriter.Limits(fileBytes: 4 << 30))
            let start = ContinuousClock.now
            for _ in 0..<rounds { for entry in entries { try writer.append(entry) } }
            try writer.close()
            let time = ContinuousClock.now - start
            return RowFlow(
                name: "HAR writing", rows: rounds * entries.count, bytes: rounds * size, seconds: time / .seconds(1),
                peakGrowth: Usage.peak - before)
        }
    }

    private func withArchive<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file)
    }

    /// Exchanges like those of an API with JSON: 8 and 10 fields, a query, a body.
    private func archiveEntries(_ count: Int, bodyBytes: Int = 2000) throws -> [HAREntry] {
        try (0..<count).map { number in
            let request = try HTTPRequest(
                .post, "https://api.example.com/v1/orders/\(number)?region=east&page=2",
                fields: HTTPFields([
                    "Accept": "application/json", "Accept-Language": "en-US,en;q=0.9",
                    "Content-Type": "application/json",
                    "User-Agent": "Shop/7.1 (iPhone; iOS 18.2)", "Authorization": "Bearer 0123456789abcdef",
                    "X-Request-ID": "6f1c9d2e-0c55-4c57-9f4e-0b3a5f1f2a10", "Cache-Control": "no-cache", "DNT": "1",
                ]), body: .text(#"{"item":"jack plate","count":\#(number)}"#))
            let fields = try HTTPFields([
                "Content-Type": "application/json; charset=utf-8", "Date": "Thu, 26 Nov 2026 04:58:15 GMT",
                "Server": "nginx", "ETag": "\"33a64df5\"", "Vary": "Accept-Encoding",
                "Cache-Control": "private, max-age=60",
                "Set-Cookie": "sid=0123456789; Path=/; HttpOnly", "X-Request-ID": "6f1c9d2e",
                "Connection": "keep-alive",
                "Strict-Transport-Security": "max-age=31536000",
            ])
            let item = #"{"id":\#(number),"name":"jack plate","price":12.5,"tags":["a","b"]}"#
            let list = Array(repeating: item, count: max(1, bodyBytes / item.utf8.count)).joined(separator: ",")
            let response = HTTPResponse(
                status: .ok, fields: fields, body: Data("[\(list)]".utf8), url: request.url)
            return HAREntry(
                request, .success(response), startedAt: Date(timeIntervalSince1970: 1_769_862_645.25),
                timings: HARTimings(send: .milliseconds(1), wait: .milliseconds(20), receive: .milliseconds(3)))
        }
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Transport

extension Harness {
    /// Compares our JSON coding with Foundation's, by CPU time.
    func jsonCoding() async throws -> [Figure] {
        var generator = SeededGenerator(seed: 36)
        let doubles = (0..<10_000).map { _ in Double.random(in: 0..<1, using: &generator) }
        let strings = (0..<5000).map { "a string of about 35 bytes, no \(10_000 + $0)" }
        var figures: [Figure] = []
        figures += try await jsonCoding("1,700 records of 4 fields", JSONRecord.list(1700), count(40))
        figures += try await jsonCoding("400 records of 20 fields", JSONProduct.list(400), count(40))
        figures += try await jsonCoding("one object of 44 bytes", JSONMessage(), count(40_000))
        figures += try await jsonCoding("10,000 doubles", doubles, count(40))
        figures += try await jsonCoding("5,000 strings", strings, count(40))
        figures += try await jsonCoding("like twitter.json", JSONTimeline(count: 100), count(20))
        figures += try await jsonCoding("like citm_catalog.json", JSONCatalog(), count(20))
        figures += try await jsonCoding("like canada.json", JSONOutline(), count(20))
        return figures
    }

    private func jsonCoding<Value: Codable>(_ name: String, _ value: Value, _ rounds: Int) async throws -> [Figure] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let decoder = JSONDecoder()
        let coding = JSONCoding.standard
        let data = try encoder.encode(value)
        let decoding = try await compareTimes(
            "JSON, \(name), \(data.count) bytes: decode", operations: rounds, against: "JSONDecoder",
            subject: { try cpuSeconds { for _ in 0..<rounds { _ = try coding.decode(Value.self, from: data) } } },
            baseline: { try cpuSeconds { for _ in 0..<rounds { _ = try decoder.decode(Value.self, from: data) } } })
        let encoding = try await compareTimes(
            "JSON, \(name), \(data.count) bytes: encode", operations: rounds, against: "JSONEncoder",
            subject: { try cpuSeconds { for _ in 0..<rounds { _ = try coding.encode(value) } } },
            baseline: { try cpuSeconds { for _ in 0..<rounds { _ = try encoder.encode(value) } } })
        return [decoding, encoding]
    }

    /// Measures 1 GiB of JSON decoded element by element: the throughput of CPU time, and the memory.
    func jsonStream() throws -> RowFlow {
        let elements = try JSONCoding.standard.encode(JSONRecord.list(10_000)).dropFirst().dropLast() + Data(",".utf8)
        let copies = count(1 << 30) / elements.count
        Usage.resetPeak()
        let before = Usage.peak
        var parser = JSONItemParser(JSONRecord.self)
        var rows = 0
        let seconds = try cpuSeconds {
            parser.push(Data("[".utf8))
            for _ in 0..<copies {
                var rest = elements
                while !rest.isEmpty {
                    parser.push(rest.prefix(64 << 10))
                    rest = rest.dropFirst(64 << 10)
                    while try parser.next() != nil { rows += 1 }
                }
            }
        }
        return RowFlow(
            name: "JSON, element by element", rows: rows, bytes: copies * elements.count, seconds: seconds,
            peakGrowth: Usage.peak - before)
    }

    /// Compares one element at a time with the whole array at once by Foundation's decoder.
    func jsonElements() async throws -> Figure {
        let records = JSONRecord.list(count(200_000))
        let data = try JSONCoding.standard.encode(records)
        return try await compareTimes(
            "JSON, \(records.count) elements one at a time", operations: records.count,
            against: "JSONDecoder, whole array",
            subject: {
                try cpuSeconds {
                    var parser = JSONItemParser(JSONRecord.self)
                    var rest = data
                    while !rest.isEmpty {
                        parser.push(rest.prefix(64 << 10))
                        rest = rest.dropFirst(64 << 10)
                        while try parser.next() != nil {}
                    }
                }
            },
            baseline: { try cpuSeconds { _ = try JSONDecoder().decode([JSONRecord].self, from: data) } })
    }

    /// Compares responses of 100 kB decoded by ours and by Foundation's decoder over the same transport.
    func jsonTransport(_ server: ServerProcess) async throws -> Figure {
        let transport = URLSessionTransport()
        let request = try HTTPRequest(.get, URL(httpString: server.url + "/records"))
        let operations = count(400)
        func run(_ decoder: JSONResponseDecoder<[JSONRecord]>) async throws {
            try await repeating(operations, inFlight: 16) {
                _ = try await transport.send(request).decoded(as: decoder)
            }
        }
        return try await compare(
            "GET of 100 kB of JSON, decoded, 16 in flight", operations: operations,
            against: "same transport and JSONDecoder",
            subject: { try await run(.json([JSONRecord].self)) },
            baseline: { try await run(.json([JSONRecord].self, decoder: JSONDecoder())) })
    }
}

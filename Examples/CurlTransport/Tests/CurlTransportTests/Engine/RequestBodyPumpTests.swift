import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing

@testable import CurlTransport

@Suite struct RequestBodyPumpTests {
    /// Reads a pump to its end, as the event thread does.
    private func read(_ body: HTTPBody, restartsAfter count: Int = .max) async throws -> Data {
        let arrivals = Watched(0)
        let pump = RequestBodyPump(body) { arrivals.update { $0 += 1 } }
        pump.start()
        defer { pump.cancel() }
        var data = Data()
        var wakeups = 0
        var hasRestarted = false
        var room = [UInt8](repeating: 0, count: 1000)
        while true {
            let result = room.withUnsafeMutableBytes { pump.read(into: $0) }
            switch result {
            case .bytes(let count): data += room[..<count]
            case .end: return data
            case .failed(let error): throw error
            case .starved:
                wakeups += 1
                let expected = wakeups
                try await arrivals.wait { $0 >= expected }
            }
            if data.count > count, !hasRestarted {
                hasRestarted = true
                pump.restart()
                data = Data()
                wakeups = arrivals.value
            }
        }
    }

    private let bytes = Data((0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    @Test func `a large body arrives whole`() async throws {
        #expect(try await read(.bytes(bytes)) == bytes)
        let half = bytes.count / 2
        #expect(try await read(.sequence([.bytes(bytes.prefix(half)), .bytes(bytes.dropFirst(half))])) == bytes)
    }

    @Test func `a restarted body comes from its start`() async throws {
        #expect(try await read(.bytes(bytes), restartsAfter: 100_000) == bytes)
    }

    @Test func `a body longer or shorter than declared is an error`() async {
        for length in [Int64(3), 8] {
            let stream = AsyncStream<Data> { continuation in
                continuation.yield(Data("half".utf8))
                continuation.finish()
            }
            await #expect(throws: HTTPMessageError.self) { try await read(.stream(stream, length: length)) }
        }
    }
}

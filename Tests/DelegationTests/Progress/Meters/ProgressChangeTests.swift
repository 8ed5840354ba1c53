import Testing

@testable import Delegation

@Suite struct ProgressChangeTests {
    @Test func `without resets there are no announcements and no zero`() {
        let changes: [ProgressChange] = [
            .announce(5), .fraction(0), .bytes(-3), .announce(-2), .fraction(0.5), .bytes(1),
        ]
        #expect(changes.withoutResets() == [.bytes(-3), .fraction(0.5), .bytes(1)])
    }

    /// Announcements and bytes of a call that finishes add up to its total, also after retries.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `S24 and S25, sums are equal and the last fraction is 1`(seed: UInt64) {
        var random = Seeded(state: seed)
        var (upload, download) = (UploadMeter(isAccurate: seed % 5 != 0), DownloadMeter(isAccurate: seed % 7 != 0))
        var (sent, received): ([ProgressChange], [ProgressChange]) = ([], [])
        for _ in 0...Int.random(in: 0..<3, using: &random) {
            let (length, size) = (
                Int64.random(in: 0..<400_000, using: &random), Int64.random(in: 0..<900, using: &random)
            )
            sent += upload.start(seed % 3 == 0 ? nil : length)
            for part in 1...5 { sent += upload.sent(length * Int64(part) / 5) }
            let partial = Bool.random(using: &random) ? size / 2 : 0
            received += download.start(resuming: partial)
            received += download.head(size - partial, resumed: partial)
            received += download.received((size - partial) / 2)
        }
        sent += upload.finish()
        received += download.finish()
        for changes in [sent, received] {
            var (announced, bytes): (Int64, Int64) = (0, 0)
            for change in changes {
                switch change {
                case .announce(let delta): announced += delta
                case .bytes(let delta): bytes += delta
                case .fraction(let fraction): #expect((0...1).contains(fraction))
                }
                #expect(announced >= 0 && bytes >= 0)
            }
            #expect(announced == bytes)
            #expect(changes.last { if case .fraction = $0 { true } else { false } } == .fraction(1))
        }
    }
}

/// A linear congruential generator.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

import Testing

@testable import Delegation

@Suite struct DownloadMeterTests {
    enum Event: Sendable {
        case expect(Int64?, gzip: Bool = false)
        case start(Int64 = 0)
        case head(Int64?, resumed: Int64 = 0)
        case received(Int64)
        case remove, finish
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var isAccurate = true
        var endsAccurate = true
        let steps: [(Event, [ProgressChange])]
        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "S24, from 0 to exactly 1",
            steps: [
                (.start(), [.fraction(0)]), (.head(100), [.announce(100)]),
                (.received(25), [.bytes(25), .fraction(0.25)]), (.received(100), [.bytes(75), .fraction(1)]),
                (.finish, []),
            ]),
        Row(
            name: "S24, an unknown length is one unit at the end", endsAccurate: false,
            steps: [
                (.start(), [.fraction(0)]), (.head(nil), [.announce(1)]), (.received(25), []),
                (.finish, [.bytes(1), .fraction(1)]), (.finish, []),
            ]),
        Row(
            name: "S24, a redirect, which has no head here, does not end accurate progress",
            steps: [(.start(), [.fraction(0)]), (.start(), [.fraction(0)]), (.head(10), [.announce(10)])]),
        Row(
            name: "progress that is not accurate is one unit", isAccurate: false, endsAccurate: false,
            steps: [
                (.start(), [.fraction(0)]), (.head(100), [.announce(1)]), (.received(100), []),
                (.finish, [.bytes(1), .fraction(1)]),
            ]),
        Row(
            name: "S27, a resumed download counts the bytes on the disk, and does not start at zero",
            steps: [
                (.start(95), []), (.head(68, resumed: 95), [.announce(163)]),
                (.received(34), [.bytes(129), .fraction(129 / 163)]), (.received(68), [.bytes(34), .fraction(1)]),
                (.finish, []),
            ]),
        Row(
            name: "S27, a server that restarts instead of resuming",
            steps: [
                (.start(95), []), (.head(163), [.announce(163)]), (.received(163), [.bytes(163), .fraction(1)]),
            ]),
        Row(
            name: "a retry starts over",
            steps: [
                (.start(), [.fraction(0)]), (.head(100), [.announce(100)]),
                (.received(50), [.bytes(50), .fraction(0.5)]), (.start(), [.bytes(-50), .fraction(0)]),
                (.head(80), [.announce(-20)]), (.received(80), [.bytes(80), .fraction(1)]),
            ]),
        Row(
            name: "a retry that resumes keeps what is on the disk",
            steps: [
                (.start(), [.fraction(0)]), (.head(100), [.announce(100)]),
                (.received(50), [.bytes(50), .fraction(0.5)]), (.start(40), [.bytes(-10), .fraction(0.4)]),
                (.head(60, resumed: 40), []), (.received(60), [.bytes(60), .fraction(1)]),
            ]),
        Row(
            name: "a retry without a length", endsAccurate: false,
            steps: [
                (.start(), [.fraction(0)]), (.head(100), [.announce(100)]),
                (.received(50), [.bytes(50), .fraction(0.5)]), (.start(50), []),
                (.head(nil, resumed: 50), [.bytes(-50), .fraction(0), .announce(-99)]),
                (.finish, [.bytes(1), .fraction(1)]),
            ]),
        Row(
            name: "an empty body",
            steps: [
                (.start(), [.fraction(0)]), (.head(0), []), (.received(0), []), (.finish, [.fraction(1)]),
            ]),
        Row(
            name: "a response from a cache, without a head", endsAccurate: false,
            steps: [(.finish, [.announce(1), .bytes(1), .fraction(1)])]),
        Row(
            name: "a body longer than announced, and a late count",
            steps: [
                (.start(), [.fraction(0)]), (.head(10), [.announce(10)]), (.received(8), [.bytes(8), .fraction(0.8)]),
                (.received(3), []), (.received(99), [.bytes(2), .fraction(1)]), (.finish, []),
            ]),
        Row(
            name: "impossible lengths",
            steps: [
                (.start(5), []), (.head(.max, resumed: 5), [.announce(.max)]),
                (.received(.max), [.bytes(.max), .fraction(1)]),
                (.remove, [.bytes(-.max), .fraction(0)]),
                (.head(-7), [.announce(-.max)]),
            ]),
        Row(
            name: "S33, the length from HEAD is not announced again",
            steps: [
                (.expect(130_050), [.announce(130_050)]), (.start(), [.fraction(0)]), (.head(130_050), []),
                (.received(130_050), [.bytes(130_050), .fraction(1)]),
            ]),
        Row(
            name: "S33, a length that differs from HEAD's is corrected",
            steps: [
                (.expect(100), [.announce(100)]), (.start(), [.fraction(0)]), (.head(60), [.announce(-40)]),
                (.finish, [.bytes(60), .fraction(1)]),
            ]),
        Row(
            name: "S33, a length of 20 in response to HEAD with gzip is one unit", endsAccurate: false,
            steps: [
                (.expect(20, gzip: true), [.announce(1)]), (.start(), [.fraction(0)]), (.head(130_050), []),
                (.received(500), []), (.finish, [.bytes(1), .fraction(1)]),
            ]),
        Row(
            name: "S33, a length of 20 without gzip, and another length with it",
            steps: [
                (.expect(20), [.announce(20)]), (.expect(21, gzip: true), [.announce(1)]),
            ]),
        Row(
            name: "S33, HEAD without a length", endsAccurate: false,
            steps: [(.expect(nil), [.announce(1)]), (.finish, [.bytes(1), .fraction(1)])]),
    ]

    @Test(arguments: rows) func `reports announcements, bytes and fractions`(row: Row) {
        var meter = DownloadMeter(isAccurate: row.isAccurate)
        for (number, (event, changes)) in row.steps.enumerated() {
            let result =
                switch event {
                case .expect(let length, let gzip): meter.expect(length, acceptsGzip: gzip)
                case .start(let partial): meter.start(resuming: partial)
                case .head(let length, let partial): meter.head(length, resumed: partial)
                case .received(let completed): meter.received(completed)
                case .remove: meter.removeProgress()
                case .finish: meter.finish()
                }
            #expect(result == changes, "step \(number)")
        }
        #expect(meter.isAccurate == row.endsAccurate)
    }
}

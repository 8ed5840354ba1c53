import Testing

@testable import Delegation

@Suite struct UploadMeterTests {
    enum Event: Sendable {
        case expect(Int64?)
        case start(Int64?)
        case sent(Int64)
        case remove, finish
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var isAccurate = true
        let steps: [(Event, [ProgressChange])]
        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "a body larger than the send buffer, which is subtracted",
            steps: [
                (.start(100), [.fraction(0), .announce(100)]), (.sent(20), [.announce(-20)]),
                (.sent(60), [.bytes(40), .fraction(0.5)]), (.sent(100), [.bytes(40), .fraction(1)]), (.finish, []),
            ]),
        Row(
            name: "S25, a body that fits in the send buffer",
            steps: [
                (.start(65_536), [.fraction(0), .announce(65_536)]), (.sent(65_536), [.bytes(65_536), .fraction(1)]),
                (.finish, []),
            ]),
        Row(
            name: "S25, a body whose bytes are not reported ends at 1",
            steps: [(.start(3), [.fraction(0), .announce(3)]), (.finish, [.bytes(3), .fraction(1)])]),
        Row(
            name: "a first report above the largest buffer",
            steps: [
                (.start(524_288), [.fraction(0), .announce(524_288)]),
                (.sent(327_680), [.announce(-131_072), .bytes(196_608), .fraction(0.5)]),
                (.finish, [.bytes(196_608), .fraction(1)]),
            ]),
        Row(
            name: "without a body",
            steps: [(.start(0), [.fraction(0)]), (.sent(0), []), (.finish, [.fraction(1)]), (.finish, [])]),
        Row(
            name: "an unknown length is one unit",
            steps: [
                (.start(nil), [.fraction(0), .announce(1)]), (.sent(50), []), (.finish, [.bytes(1), .fraction(1)]),
            ]),
        Row(
            name: "progress that is not accurate is one unit", isAccurate: false,
            steps: [
                (.start(100), [.fraction(0), .announce(1)]), (.sent(50), []), (.sent(100), []),
                (.finish, [.bytes(1), .fraction(1)]), (.finish, []),
            ]),
        Row(
            name: "S25, a retry takes back what was reported",
            steps: [
                (.start(100), [.fraction(0), .announce(100)]), (.sent(20), [.announce(-20)]),
                (.sent(60), [.bytes(40), .fraction(0.5)]), (.start(100), [.bytes(-40), .fraction(0)]),
                (.sent(10), []), (.sent(60), [.bytes(40), .fraction(0.5)]), (.finish, [.bytes(40), .fraction(1)]),
            ]),
        Row(
            name: "S25, removing the progress so far reports zero",
            steps: [
                (.start(10), [.fraction(0), .announce(10)]), (.sent(10), [.bytes(10), .fraction(1)]),
                (.remove, [.bytes(-10), .fraction(0)]), (.sent(10), [.bytes(10), .fraction(1)]),
            ]),
        Row(
            name: "a redirect without the body takes the announcement back",
            steps: [
                (.start(10), [.fraction(0), .announce(10)]), (.sent(10), [.bytes(10), .fraction(1)]),
                (.start(0), [.bytes(-10), .fraction(0), .announce(-10)]), (.finish, [.fraction(1)]),
            ]),
        Row(
            name: "progress does not go backwards within an attempt",
            steps: [
                (.start(100), [.fraction(0), .announce(100)]), (.sent(20), [.announce(-20)]),
                (.sent(60), [.bytes(40), .fraction(0.5)]), (.sent(30), []), (.sent(60), []),
                (.sent(500), [.bytes(40), .fraction(1)]),
            ]),
        Row(
            name: "a length announced in a queue is not announced again",
            steps: [
                (.expect(10), [.announce(10)]), (.start(10), [.fraction(0)]), (.sent(10), [.bytes(10), .fraction(1)]),
            ]),
        Row(
            name: "a length that was announced wrongly is corrected",
            steps: [(.expect(10), [.announce(10)]), (.start(7), [.fraction(0), .announce(-3)])]),
    ]

    @Test(arguments: rows) func `reports announcements, bytes and fractions`(row: Row) {
        var meter = UploadMeter(isAccurate: row.isAccurate)
        for (number, (event, changes)) in row.steps.enumerated() {
            let result =
                switch event {
                case .expect(let length): meter.expect(length)
                case .start(let length): meter.start(length)
                case .sent(let completed): meter.sent(completed)
                case .remove: meter.removeProgress()
                case .finish: meter.finish()
                }
            #expect(result == changes, "step \(number)")
        }
    }

    @Test func `an unknown length ends accurate progress`() {
        var meter = UploadMeter(isAccurate: true)
        #expect(meter.isAccurate)
        _ = meter.start(nil)
        #expect(!meter.isAccurate)
    }
}

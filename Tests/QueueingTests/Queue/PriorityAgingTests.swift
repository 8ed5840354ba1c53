import Testing

@testable import Queueing

@Suite struct PriorityAgingTests {
    @Test func `a level is worth one interval`() {
        let aging = PriorityAging(interval: .seconds(1))
        #expect(
            aging.effectiveArrival(level: 3, arrival: 10_000_000_000)
                == aging.effectiveArrival(level: 0, arrival: 7_000_000_000))
        #expect(aging.effectiveArrival(level: -2, arrival: 0) == 2_000_000_000)
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .nanoseconds(1), .seconds(Int64.max)])
    func `extreme values keep the order`(interval: Duration) {
        let aging = PriorityAging(interval: interval)
        let starts = [Int.max, 1, 0, -1, .min].map { aging.effectiveArrival(level: $0, arrival: 1000) }
        #expect(starts == starts.sorted() && starts[1] < starts[2] && starts[2] < starts[3])
        for level in [Int.min, 0, .max] { _ = aging.effectiveArrival(level: level, arrival: .min) }
    }

    private static let cuts: [(Duration, Int64)] = [
        (.zero, 0), (.milliseconds(-1), -1_000_000), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
        (Duration(secondsComponent: 1, attosecondsComponent: 1_999_999_999), 1_000_000_001),
        (Duration(secondsComponent: -1, attosecondsComponent: -1_000_000_001), -1_000_000_002),
        (Duration(secondsComponent: 0, attosecondsComponent: -1), -1), (.nanoseconds(-7), -7),
        (.seconds(Int64.max) * 3, .max), (.seconds(Int64.min) * 3, .min), (.nanoseconds(Int64.max), .max),
        (.nanoseconds(Int64.min), .min), (.nanoseconds(Int64.min + 1), .min + 1),
        (.nanoseconds(Int64.min) + Duration(secondsComponent: 0, attosecondsComponent: 1), .min),
    ]

    @Test(arguments: cuts) func `nanoseconds are rounded down and clamped`(duration: Duration, nanoseconds: Int64) {
        #expect(duration.nanoseconds == nanoseconds)
    }
}

import Coordination
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite struct ProgressStepsTests {
    /// What comes after 500 of 1000 bytes at the time zero.
    private struct Row {
        let progress: TransferProgress
        let milliseconds: Int
        let isTold: Bool

        init(_ completed: Int64, of total: Int64?, after milliseconds: Int = 0, told isTold: Bool) {
            progress = TransferProgress(.download, completed: completed, total: total)
            self.milliseconds = milliseconds
            self.isTold = isTold
        }
    }

    private static let rows = [
        Row(500, of: 1000, told: false),
        Row(509, of: 1000, told: false),
        Row(509, of: 1000, after: 99, told: false),
        Row(509, of: 1000, after: 100, told: true),
        Row(510, of: 1000, told: true),
        Row(499, of: 1000, told: true),
        Row(501, of: 1001, told: true),
        Row(501, of: nil, told: true),
        Row(1000, of: 1000, told: true),
    ]

    @Test func `steps are a percent, a tenth of a second, a retry, another total and the end`() {
        var before = ProgressSteps()
        _ = before.tells(TransferProgress(.download, completed: 500, total: 1000), at: .zero)
        for row in Self.rows {
            var steps = before
            let time = Duration.milliseconds(row.milliseconds)
            let isTold = steps.tells(row.progress, at: time)
            #expect(isTold == row.isTold, "\(row)")
        }
    }

    @Test func `the next step begins at what was told, not at what was dropped`() {
        var steps = ProgressSteps()
        let told = [500, 505, 509, 510, 519, 520].map { (count: Int64) in
            steps.tells(TransferProgress(.download, completed: count, total: 1000), at: .zero)
        }
        #expect(told == [true, false, false, true, false, true])
    }

    @Test func `the directions are apart, and small transfers have each byte`() {
        var steps = ProgressSteps()
        for direction in [TransferProgress.Direction.upload, .download] {
            for count in 1...9 as ClosedRange<Int64> {
                let isTold = steps.tells(TransferProgress(direction, completed: count, total: 9), at: .zero)
                #expect(isTold)
            }
        }
    }

    @Test func `an observer gets a hundred values of ten thousand chunks, and ten in each second`() async {
        let (clock, counts) = (ManualClock(), Watched<[Int64]>([]))
        let observer = ProgressObserver(
            { progress in counts.update { $0.append(progress.completed) } }, clock: AnyMonotonicClock(clock))
        for count in 1...10_000 as ClosedRange<Int64> {
            observer.transfer(didEmit: .receivedBytes(count, total: 10_000))
        }
        #expect(counts.value == Array(stride(from: 1, to: 10_000, by: 100)) + [10_000])
        counts.update { $0 = [] }
        for count in 1...30 as ClosedRange<Int64> {
            observer.transfer(didEmit: .receivedBytes(count, total: 10_000))
            await clock.advance(by: .milliseconds(50))
        }
        #expect(counts.value == Array(stride(from: 1, through: 30, by: 2)))
        for count in 1...1000 as ClosedRange<Int64> { observer.transfer(didEmit: .receivedBytes(count, total: nil)) }
        #expect(counts.value.count == 1015)
    }
}

import Delegation
import Testing
import Transport

@testable import SDMConnectivity

@Suite struct ProgressMetersTests {
    /// A step, at a time in milliseconds.
    enum Step {
        case report(bytes: Int64, at: Int, due: ProgressMeters.Due?)
        case call(at: Int, sum: [ProgressChange])
    }

    static let tables: [[Step]] = [
        // The first report at once; those that come meanwhile are joined.
        [.report(bytes: 1, at: 0, due: .now), .report(bytes: 2, at: 1, due: nil), .call(at: 2, sum: [.bytes(3)])],
        // Soon after a call, the next one is due when the interval has passed.
        [
            .report(bytes: 1, at: 0, due: .now), .call(at: 4, sum: [.bytes(1)]),
            .report(bytes: 2, at: 5, due: .at(.milliseconds(20))), .report(bytes: 4, at: 6, due: nil),
            .call(at: 20, sum: [.bytes(6)]),
        ],
        // Later than that, it is due at once.
        [
            .report(bytes: 1, at: 0, due: .now), .call(at: 4, sum: [.bytes(1)]), .report(bytes: 2, at: 20, due: .now),
            .call(at: 21, sum: [.bytes(2)]),
        ],
        // A call without changes is no call of the delegate, and delays nothing.
        [
            .report(bytes: 1, at: 0, due: .now), .call(at: 4, sum: [.bytes(1)]), .call(at: 19, sum: []),
            .report(bytes: 2, at: 20, due: .now),
        ],
    ]

    @Test(arguments: tables) func `a delegate is called at most once in each interval`(steps: [Step]) {
        var meters = ProgressMeters(isAccurate: true)
        for step in steps {
            switch step {
            case .report(let bytes, let time, let due):
                #expect(meters.enqueue([.bytes(bytes)], .download, at: .milliseconds(time)) == due)
            case .call(let time, let sum):
                #expect(meters.dequeue(.download, at: .milliseconds(time)) == sum)
            }
        }
    }

    @Test func `each direction has its own interval`() {
        var meters = ProgressMeters(isAccurate: true)
        #expect(meters.enqueue([.bytes(1)], .download, at: .zero) == .now)
        #expect(meters.dequeue(.download, at: .zero) == [.bytes(1)])
        #expect(meters.enqueue([.bytes(1)], .upload, at: .milliseconds(1)) == .now)
    }
}
